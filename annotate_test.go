// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inActions runs a helper as a job of GitHub Actions and returns its annotations and the job summary.
func inActions(t *testing.T, args []string, env ...string) (annotations []string, summary string) {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "summary.md")
	r := startHelper(t, append(env, "GITHUB_ACTIONS=true", "GITHUB_WORKSPACE="+here, "GITHUB_STEP_SUMMARY="+path), args...)
	if r.code == 0 {
		t.Errorf("no failure:\n%s", r.output)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("no summary: %v\n%s", err, r.output)
	}
	return regexp.MustCompile(`(?m)^::.*$`).FindAllString(r.output, -1), string(data)
}

// wantAnnotation checks that there is one, for the line of a file that has some text in it.
func wantAnnotation(t *testing.T, annotations []string, file, text, rest string) {
	t.Helper()
	if len(annotations) != 1 {
		t.Fatalf("annotations %q, want one", annotations)
	}
	parts := regexp.MustCompile(`^::error file=([^,]+),line=(\d+),title=(Test.*)$`).FindStringSubmatch(annotations[0])
	if parts == nil || parts[1] != file || !regexp.MustCompile(rest).MatchString(parts[3]) {
		t.Fatalf("%s, want %s and %s", annotations[0], file, rest)
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")
	n := 0
	for _, digit := range parts[2] {
		n = n*10 + int(digit-'0')
	}
	if !strings.Contains(lines[n-1], text) {
		t.Errorf("line %d of %s is %q, want one with %s", n, file, lines[n-1], text)
	}
}

func TestAnnotationsPointAtChecks(t *testing.T) {
	for _, env := range []string{"FAULTLINE_ISOLATE=0", "FAULTLINE_ISOLATE=1"} {
		for _, verbose := range []string{"-test.v=false", "-test.v=true"} {
			annotations, summary := inActions(t, []string{"-test.run", "^TestHelperBug$", verbose}, env)
			wantAnnotation(t, annotations, "kv_test.go", `Invariant("acked puts survive"`,
				`^TestHelperBug/seed=0x[0-9a-f]{16}::invariant "acked puts survive" violated at .*%0Ak\d+ was acknowledged.*%0Areplay: FAULTLINE_SEED=0x[0-9a-f]{16} go test `)
			if n := strings.Count(summary, "<code>0x"); n != 1 || !strings.Contains(summary, "acked puts survive") {
				t.Errorf("%s: %d seeds in the summary\n%s", env, n, summary)
			}
		}
	}
}

func TestAnnotationsOfOtherFailures(t *testing.T) {
	for name, text := range map[string]string{
		"final": `w.Final("two and two"`,
		"fatal": `Fatal("four")`,
		"panic": `panic(`,
		"sim":   `faultline.Run(t, f.opts, f.body)`,
	} {
		annotations, _ := inActions(t, []string{"-test.run", "^TestHelperFailing$/^" + name + "$"})
		wantAnnotation(t, annotations, "verdict_test.go", text, `^TestHelperFailing/`+name+`/seed=`)
	}
	for _, isolate := range []string{"FAULTLINE_ISOLATE=0", "FAULTLINE_ISOLATE=1"} {
		annotations, summary := inActions(t, []string{"-test.run", "^TestHelperPass$"}, "FAULTLINE_TRACE=all", isolate)
		wantAnnotation(t, annotations, "run_test.go", "faultline.Run(t, second", `^TestHelperPass::FAULTLINE_TRACE=all: not a kind`)
		if !strings.Contains(summary, "setup:Run") {
			t.Errorf("summary\n%s", summary)
		}
	}
}

// A process that dies cannot annotate; the one that started it does.
func TestAnnotationOfADeath(t *testing.T) {
	for seed, text := range map[string]string{"2": `panic("nobody recovers")`, "3": `faultline.Run(t, opts`, "7": `faultline.Run(t, opts`} {
		annotations, summary := inActions(t, []string{"-test.run", "^TestHelperDeaths$"}, "FAULTLINE_SEED="+seed)
		wantAnnotation(t, annotations, "isolate_test.go", text, `^TestHelperDeaths/seed=0x[0-9a-f]{15}`+seed+`::`)
		if strings.Count(summary, "<code>0x") != 1 {
			t.Errorf("summary\n%s", summary)
		}
	}
}

// A stall ends the process of the test itself.
func TestAnnotationOfAStall(t *testing.T) {
	annotations, summary := inActions(t, []string{"-test.run", "^TestHelperStall$"})
	wantAnnotation(t, annotations, "goroutine_test.go", "faultline.Run(", `::the run made no progress`)
	if strings.Count(summary, "<code>0x") != 1 {
		t.Errorf("summary\n%s", summary)
	}
}

func TestNoAnnotationsElsewhere(t *testing.T) {
	r := runHelper(t, "TestHelperBug")
	if strings.Contains(r.output, "::error") {
		t.Errorf("an annotation outside of GitHub Actions:\n%s", r.output)
	}
}
