// SPDX-License-Identifier: MPL-2.0

// Package docs_test runs the programs that the documentation shows.
package docs_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// imports are those that the README leaves out.
const imports = `package docs_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/examples/kv"
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/fault"
)
`

var testName = regexp.MustCompile(`func (Test\w+)`)

// The test in the README passes as it stands there. It joins this package in a build of its own.
func TestReadme(t *testing.T) {
	inPlainBuild(t)
	source := imports
	for _, b := range blocks(readPage(t, "README.md")) {
		if b.lang == "go" {
			source += "\n" + b.text
		}
	}
	var names []string
	for _, m := range testName.FindAllStringSubmatch(source, -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 {
		t.Fatal("the Go blocks of the README have no test")
	}
	run := "-run=^(" + strings.Join(names, "|") + ")$"
	cmd := exec.Command("go", "test", "-count=1", "-v", run, "-overlay="+overlay(t, "readme_test.go", source), ".")
	cmd.Env = append(os.Environ(), "FAULTLINE_SEEDS=3", "FAULTLINE_ARTIFACTS="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range names {
		if !strings.Contains(string(out), "--- PASS: "+name) {
			t.Errorf("%s did not run:\n%s", name, out)
		}
	}
}

// The Go blocks of some pages are parts of examples, which are compiled and run.
func TestPagesShowExamples(t *testing.T) {
	for page, example := range map[string]string{
		"docs/event-mode.md": "examples/register/register_test.go",
		"docs/grpc.md":       "shims/grpcsim/example_test.go",
	} {
		source := unindented(readPage(t, example))
		n := 0
		for _, b := range blocks(readPage(t, page)) {
			if b.lang != "go" {
				continue
			}
			if n++; !strings.Contains(source, unindented(b.text)) {
				t.Errorf("%s:%d is not in %s:\n%s", page, b.line, example, b.text)
			}
		}
		if n == 0 {
			t.Errorf("%s has no Go block", page)
		}
	}
}

var indent = regexp.MustCompile(`(?m)^\t+`)

func unindented(source string) string { return indent.ReplaceAllString(source, "") }

// overlay writes the file of a go build overlay that has source under the name.
func overlay(t *testing.T, name, source string) string {
	t.Helper()
	dir := t.TempDir()
	content := filepath.Join(dir, "source.go")
	at, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {at: content}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	for path, b := range map[string][]byte{content: []byte(source), file: text} {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return file
}
