// SPDX-License-Identifier: MPL-2.0

package docs_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/artifact"
)

// The page on options has a row for every field of the options and of the structs in them.
func TestOptionsPage(t *testing.T) {
	page := readPage(t, "docs/options.md")
	for name, f := range fields(reflect.TypeFor[faultline.Options]()) {
		section := page
		if parent, _, ok := strings.Cut(name, "."); ok {
			_, section, _ = strings.Cut(page, "## "+parent+"\n")
			section, _, _ = strings.Cut(section, "\n## ")
		}
		if !strings.Contains(section, "`"+f+"`") {
			t.Errorf("docs/options.md does not say what %s does", name)
		}
	}
}

// fields returns the names of the exported fields of a struct by their paths; structs in it are looked into.
func fields(typ reflect.Type) map[string]string {
	all := map[string]string{}
	for _, f := range reflect.VisibleFields(typ) {
		if f.Type.Kind() != reflect.Struct {
			all[f.Name] = f.Name
			continue
		}
		for name, inner := range fields(f.Type) {
			all[f.Name+"."+name] = inner
		}
	}
	return all
}

var variable = regexp.MustCompile(`"(FAULTLINE_[A-Z_]+)"`)

// internalVariables are those that processes of faultline tell each other something with.
var internalVariables = []string{
	"FAULTLINE_RERUN", "FAULTLINE_RERUN_DIR", "FAULTLINE_RUNNING", "FAULTLINE_SELFTEST_SEED", "FAULTLINE_TOOLEXEC_ENTRY", "FAULTLINE_TOOLEXEC_FLAG",
}

// variables returns the names of the variables that the library and its commands read.
func variables(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, m := range variable.FindAllSubmatch(bytes.Join(sources(t), nil), -1) {
		list = append(list, string(m[1]))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// The page on the environment has every variable that users set, and no others.
func TestEnvironmentPage(t *testing.T) {
	read := slices.DeleteFunc(variables(t), func(name string) bool { return slices.Contains(internalVariables, name) })
	if len(read) < 15 {
		t.Fatalf("the code reads %q only", read)
	}
	page := readPage(t, "docs/environment.md")
	for _, name := range read {
		if !strings.Contains(page, "| `"+name+"` |") {
			t.Errorf("docs/environment.md does not have %s", name)
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(FAULTLINE_[A-Z_]+)`").FindAllStringSubmatch(page, -1) {
		if !slices.Contains(read, m[1]) {
			t.Errorf("docs/environment.md has %s, which nothing reads", m[1])
		}
	}
}

// No page names a variable that does not exist.
func TestPagesNameVariables(t *testing.T) {
	read := variables(t)
	for _, page := range pages(t) {
		for _, name := range regexp.MustCompile(`FAULTLINE_[A-Z_]*[A-Z]`).FindAllString(readPage(t, page), -1) {
			if !slices.Contains(read, name) {
				t.Errorf("%s names %s, which nothing reads", page, name)
			}
		}
	}
}

// sources returns the Go files of the repository that are no tests.
func sources(t *testing.T) [][]byte {
	t.Helper()
	var all [][]byte
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"testdata", "conformance", ".git"}, d.Name()):
			return fs.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		all = append(all, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The page on artifact directories has every file that one can hold.
func TestArtifactsPage(t *testing.T) {
	page := readPage(t, "docs/artifacts.md")
	for _, name := range []string{
		artifact.TraceFile, artifact.ScheduleFile, artifact.HistoryFile, artifact.GapsFile, artifact.GoroutinesFile, artifact.StallFile,
		artifact.DecisionsFile, artifact.ConsoleFile, artifact.TimelineFile, artifact.PageFile, artifact.DiagramFile, artifact.ReportFile,
	} {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/artifacts.md does not have %s", name)
		}
	}
}

// The page on artifact directories has every field of a report.
func TestArtifactsPageHasFields(t *testing.T) {
	_, section, _ := strings.Cut(readPage(t, "docs/artifacts.md"), "\n## Fields\n")
	for _, name := range jsonNames(reflect.TypeFor[artifact.Report]()) {
		if !strings.Contains(section, "`"+name+"`") {
			t.Errorf("docs/artifacts.md does not have %s", name)
		}
	}
}

// jsonNames returns the names of the fields of a struct, and of the structs in it, as encoding/json writes them.
func jsonNames(typ reflect.Type) []string {
	if typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		return jsonNames(typ.Elem())
	}
	if typ.Kind() != reflect.Struct {
		return nil
	}
	var list []string
	for _, f := range reflect.VisibleFields(typ) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		list = append(append(list, name), jsonNames(f.Type)...)
	}
	return list
}

// Every kind of failure is explained.
func TestKindsPage(t *testing.T) {
	page := readPage(t, "docs/reading-a-failure.md")
	for _, kind := range []faultline.Kind{
		faultline.KindInvariant, faultline.KindFinal, faultline.KindPanic, faultline.KindFail, faultline.KindLimit, faultline.KindDeterminism,
		faultline.KindDeadlock, faultline.KindLeak, faultline.KindSetup, faultline.KindStall,
	} {
		if !strings.Contains(page, "| `"+string(kind)+"` |") {
			t.Errorf("docs/reading-a-failure.md does not explain %s", kind)
		}
	}
}
