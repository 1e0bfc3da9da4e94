// SPDX-License-Identifier: MPL-2.0

// Package pin owns the regression test of a seed: the Go source that runs it, and
// the folder of testdata that the test reads. It must not know how a test runs a
// pinned seed; the root package does. Nothing in it keeps state.
package pin

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/artifact/internal/lines"
)

// Test is the regression test of a seed.
type Test struct {
	Name   string // of the test function
	Folder string // of the package
	Data   string // folder of testdata that the test names, below Folder
	Source string // a whole file, formatted
	File   string // a name for it, below Folder
}

// New returns the regression test of the seed of run, for the package in a folder,
// which must have the test that failed. The folder is read and not changed.
func New(run *artifact.Run, folder string) (*Test, error) {
	r := &run.Report
	outer, _, _ := strings.Cut(r.Test, "/")
	found, err := findTests(folder)
	if err != nil {
		return nil, err
	}
	origin, ok := found[outer]
	if !ok {
		return nil, fmt.Errorf("%s has no test function %s(t *testing.T); want the folder of %s, which -C names", folder, outer, r.Package)
	}
	name := fmt.Sprintf("%sSeed%016x", outer, uint64(r.Seed))
	if other, ok := found[name]; ok {
		return nil, fmt.Errorf("%s: %s is there already", other.file, name)
	}
	t := &Test{
		Name:   name,
		Folder: folder,
		Data:   filepath.Join("testdata", "faultline", artifact.Mangle(name)),
		File:   strings.ToLower(name) + "_test.go",
	}
	t.Source, err = source(t, r, outer, origin.pkg)
	return t, err
}

var page = template.Must(template.New("test").Parse(`package {{.Package}}

import (
	"testing"

	"github.com/hmdsefi/faultline"
)

// {{.Name}} runs seed {{.Seed}} of {{.Test}} once more, with the faults that it had.
// It {{.Verdict}}
func {{.Name}}(t *testing.T) {
	faultline.Pin(t, {{.Data}})
	{{.Outer}}(t)
}
`))

func source(t *Test, r *artifact.Report, outer, pkg string) (string, error) {
	var b bytes.Buffer
	err := page.Execute(&b, map[string]any{
		"Package": pkg, "Name": t.Name, "Seed": r.Seed, "Test": lines.Printable(r.Test), "Outer": outer,
		"Verdict": verdict(r), "Data": fmt.Sprintf("%q", filepath.ToSlash(t.Data)),
	})
	if err != nil {
		return "", err
	}
	text, err := format.Source(b.Bytes())
	return string(text), err
}

// verdict tells as lines of a comment how the run ended.
func verdict(r *artifact.Report) string {
	if r.Failure == nil {
		return "passed when it was pinned."
	}
	text := fmt.Sprintf("failed with %s at t=%s:\n//", lines.Printable(r.Failure.Signature), lines.Printable(r.Failure.At))
	for line := range strings.SplitSeq(lines.PrintableLines(r.Failure.Message), "\n") {
		text += "\n//\t" + line
	}
	return text
}

// pinned are the files that a pinned seed needs.
var pinned = []string{artifact.ScheduleFile, artifact.DecisionsFile}

// Save writes the files that the test reads: the schedule, the decisions over
// goroutines if the run was exact, and the report. A folder that is there already is
// an error.
func (t *Test) Save(run *artifact.Run) error {
	dir := filepath.Join(t.Folder, t.Data)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	return artifact.WriteTo(dir, run, pinned...)
}
