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
	"github.com/hmdsefi/faultline/sim/kernel"
)
`

var (
	goBlock  = regexp.MustCompile("(?s)```go\n(.*?)```")
	testName = regexp.MustCompile(`func (Test\w+)`)
)

// The tests in the README pass as they stand there. They join this package in a build of their own.
func TestReadme(t *testing.T) {
	inPlainBuild(t)
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source := imports
	for _, block := range goBlock.FindAllSubmatch(readme, -1) {
		source += "\n" + string(block[1])
	}
	var names []string
	for _, m := range testName.FindAllStringSubmatch(source, -1) {
		names = append(names, m[1])
	}
	if len(names) < 2 {
		t.Fatalf("the Go blocks of the README have the tests %q, not 2 or more", names)
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

// The Go blocks of the page on event mode are parts of the example that it is about.
func TestEventModeShowsItsExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/event-mode.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../../examples/register/register_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := goBlock.FindAllSubmatch(page, -1)
	if len(blocks) < 3 {
		t.Errorf("the page has %d Go blocks, not 3 or more", len(blocks))
	}
	for _, block := range blocks {
		if !strings.Contains(string(example), string(block[1])) {
			t.Errorf("not in the example:\n%s", block[1])
		}
	}
}

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
