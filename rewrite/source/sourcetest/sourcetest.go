// SPDX-License-Identifier: MPL-2.0

// Package sourcetest owns the test of a rewriting rule: folders of Go files below testdata, each with what the rule makes of it.
package sourcetest

import (
	"bytes"
	"flag"
	"go/ast"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/hmdsefi/faultline/gaps"
	"github.com/hmdsefi/faultline/rewrite/source"
)

var update = flag.Bool("update", false, "write the golden files")

// added is the name of the file that a rewritten package gets.
const added = "added.go"

// Golden rewrites each package below testdata with a rule and compares the result with the files *.golden beside the sources:
// the text of each file that changed, added.go.golden and gaps.golden. A folder named go1.N is for that language version. What
// the rule made is rewritten again, which must change nothing.
func Golden(t *testing.T, rule source.Rule) {
	eachPackage(t, func(t *testing.T, dir string) { golden(t, dir, rule) })
}

// GoldenGaps is Golden for a rule that changes nothing: only gaps.golden is compared.
func GoldenGaps(t *testing.T, rule source.Rule) {
	eachPackage(t, func(t *testing.T, dir string) {
		result := Rewrite(t, JobOf(t, dir), rule)
		if len(result.Files) > 0 {
			t.Errorf("the rule changes %d files", len(result.Files))
		}
		want := map[string]bool{}
		if len(result.Gaps) > 0 {
			name := filepath.Join(dir, "gaps.golden")
			want[name] = true
			checkGolden(t, name, gapText(t, result))
		}
		checkStale(t, dir, want)
	})
}

func eachPackage(t *testing.T, test func(t *testing.T, dir string)) {
	dirs, err := filepath.Glob("testdata/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no packages below testdata: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { test(t, dir) })
	}
}

func gapText(t *testing.T, result *source.Result) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := gaps.Write(&text, result.Gaps); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func golden(t *testing.T, dir string, rule source.Rule) {
	job := JobOf(t, dir)
	if lang := filepath.Base(dir); strings.HasPrefix(lang, "go1.") {
		job.Lang = lang
	}
	result := Rewrite(t, job, rule)
	want := map[string]bool{}
	compare := func(name string, text []byte) {
		want[name] = true
		checkGolden(t, name, text)
	}
	for name, text := range result.Files {
		original, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(original, []byte("\n")) != bytes.Count(text, []byte("\n")) {
			t.Errorf("%s has another number of lines after rewriting", name)
		}
		here, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		compare(name+".golden", bytes.Replace(text, []byte(here+string(filepath.Separator)), nil, 1))
	}
	if result.Added != nil {
		compare(filepath.Join(dir, added+".golden"), result.Added)
	}
	if len(result.Gaps) > 0 {
		compare(filepath.Join(dir, "gaps.golden"), gapText(t, result))
	}
	checkStale(t, dir, want)
	checkTwice(t, job, result, rule)
}

func checkGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Errorf("%v; go test -update writes it", err)
	} else if !bytes.Equal(got, want) {
		t.Errorf("%s differs; go test -update writes\n%s", name, got)
	}
}

// checkStale finds golden files of files that did not change.
func checkStale(t *testing.T, dir string, want map[string]bool) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !want[name] {
			t.Errorf("nothing to compare %s with", name)
		}
	}
}

// checkTwice rewrites the result again, which must change nothing, and type-checks it.
func checkTwice(t *testing.T, job source.Job, result *source.Result, rule source.Rule) {
	t.Helper()
	if result.Added == nil {
		return
	}
	again := job
	again.Files = WriteResult(t, t.TempDir(), job, result)
	if second := Rewrite(t, again, rule); len(second.Files) > 0 || len(second.Gaps) > 0 {
		t.Errorf("rewriting the result changes %d files and finds gaps %v", len(second.Files), second.Gaps)
	}
	CheckResult(t, job, result)
}

// CheckResult type-checks the package as it is after rewriting.
func CheckResult(t testing.TB, job source.Job, result *source.Result) {
	t.Helper()
	// Without its first line, the mark, the added file is one of the user's.
	unmarked := *result
	_, unmarked.Added, _ = bytes.Cut(result.Added, []byte("\n"))
	job.Files = WriteResult(t, t.TempDir(), job, &unmarked)
	nothing := source.Rule{Wants: func(ast.Node) bool { return true }, Run: func(*source.Pass) {}}
	for _, g := range Rewrite(t, job, nothing).Gaps {
		t.Errorf("the result has an error: %s", g.Reason)
	}
}

// WriteResult writes the package as it is after rewriting into a folder and returns its files.
func WriteResult(t testing.TB, dir string, job source.Job, result *source.Result) []string {
	t.Helper()
	texts := map[string][]byte{}
	if result.Added != nil {
		texts[added] = result.Added
	}
	for _, name := range job.Files {
		text, changed := result.Files[name]
		if !changed {
			var err error
			if text, err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
		texts[filepath.Base(name)] = text
	}
	var files []string
	for name, text := range texts {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// JobOf is the job for the Go files in a folder, of which those stay as they are that cgo would write for itself. They may import what
// exports lists.
func JobOf(t testing.TB, dir string) source.Job {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Go files in %s: %v", dir, err)
	}
	return source.Job{
		Path: "example.com/" + filepath.Base(dir), Dir: dir, Arch: runtime.GOARCH, Files: files, Lookup: Lookup(t),
		Keep: func(file string) bool { return strings.HasPrefix(filepath.Base(file), "_cgo_") },
	}
}

// Rewrite applies rules and fails the test on an error.
func Rewrite(t testing.TB, job source.Job, rules ...source.Rule) *source.Result {
	t.Helper()
	result, err := source.Rewrite(job, rules...)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Lookup finds the export data of the standard packages that tests import.
func Lookup(t testing.TB) func(path string) (io.ReadCloser, error) {
	t.Helper()
	text, err := exports()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "importcfg")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	lookup, err := source.ImportConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	return lookup
}

// exports is the text of an importcfg.
var exports = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("go", "list", "-export", "-deps", "-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}",
		"bytes", "context", "crypto/tls", "fmt", "io", "io/ioutil", "log", "log/slog", "net", "net/http", "net/http/httptest", "os", "os/exec",
		"os/signal", "os/user", "path/filepath", "reflect", "runtime", "runtime/debug", "sort", "strings", "sync", "sync/atomic", "syscall", "testing",
		"time", "unique", "unsafe", "weak").Output()
})
