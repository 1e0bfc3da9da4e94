// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inHelper names the variable that is set in a process that the tests here start.
const inHelper = "FAULTLINE_TEST_HELPER"

// helper skips a test that is there to be run by others, since it fails.
func helper(t *testing.T) {
	t.Helper()
	if os.Getenv(inHelper) == "" {
		t.Skip("runs in a process that another test starts")
	}
}

// helperRun is what a test that ran in a process of its own left behind.
type helperRun struct {
	output    string // standard output and standard error
	code      int
	results   []map[string]any
	lines     string // the results, as they are in their file
	artifacts string // the root
}

// runHelper runs one helper test in a process of its own, with an artifact root and a
// results file of its own.
func runHelper(t *testing.T, test string, env ...string) helperRun {
	t.Helper()
	return startHelper(t, env, "-test.run", "^"+test+"$")
}

// runVerbose is runHelper under go test -v, where passing tests log too.
func runVerbose(t *testing.T, test string, env ...string) helperRun {
	t.Helper()
	return startHelper(t, env, "-test.run", "^"+test+"$", "-test.v")
}

func startHelper(t *testing.T, env []string, args ...string) helperRun {
	t.Helper()
	dir := t.TempDir()
	r := helperRun{artifacts: filepath.Join(dir, "artifacts")}
	results := filepath.Join(dir, "results.jsonl")
	cmd := exec.Command(os.Args[0], args...)
	// The race detector waits a second at the end of a process unless told otherwise.
	cmd.Env = append(cleanEnv(), "GORACE=atexit_sleep_ms=0", inHelper+"=1", "FAULTLINE_ARTIFACTS="+r.artifacts, "FAULTLINE_RESULTS="+results)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	r.output = string(out)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(results); err == nil {
		r.lines = string(data)
		r.results = parseResults(t, data)
	}
	return r
}

func cleanEnv() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "FAULTLINE_") && !strings.HasPrefix(v, "GITHUB_") {
			env = append(env, v)
		}
	}
	return env
}

func parseResults(t *testing.T, data []byte) []map[string]any {
	t.Helper()
	var list []map[string]any
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var line map[string]any
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("results line %q: %v", lines.Text(), err)
		}
		list = append(list, line)
	}
	return list
}

// failing returns the results lines of failed seeds.
func (r helperRun) failing() []map[string]any {
	var list []map[string]any
	for _, line := range r.results {
		if line["status"] == "fail" {
			list = append(list, line)
		}
	}
	return list
}

// want fails the test unless the output matches all patterns.
func (r helperRun) want(t *testing.T, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile(p).MatchString(r.output) {
			t.Errorf("the output does not match %q:\n%s", p, r.output)
		}
	}
}

// wantFailure checks that the helper failed once, with that signature, and returns the
// results line.
func (r helperRun) wantFailure(t *testing.T, signature string) map[string]any {
	t.Helper()
	failing := r.failing()
	if len(failing) != 1 || failing[0]["signature"] != signature || r.code == 0 {
		t.Fatalf("exit code %d, failures %v; want one of signature %q\n%s", r.code, failing, signature, r.output)
	}
	return failing[0]
}
