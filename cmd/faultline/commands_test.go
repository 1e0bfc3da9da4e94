// SPDX-License-Identifier: MPL-2.0

package main

import (
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
)

func TestShow(t *testing.T) {
	root, dir := written(t)
	text := must(t, "show", dir)
	golden(t, "show", root, text)
	if strings.Contains(text, "\x1b") {
		t.Error("a control character of the trace reaches the terminal")
	}
	for _, word := range []string{"0xa1", "161", "00000000000000a1", filepath.Join(dir, artifact.PageFile)} {
		if got := must(t, "show", word); got != text {
			t.Errorf("show %s prints\n%s", word, got)
		}
	}
	golden(t, "show-little", root, must(t, "show", "-causes", "2", dir, "-before", "1"))
	golden(t, "show-passing", root, must(t, "show", "0xa3"))
}

func TestDiff(t *testing.T) {
	root, dir := written(t)
	golden(t, "diff-nearest", root, must(t, "diff", dir))
	golden(t, "diff-same", root, must(t, "diff", dir, "0xa2"))
	if got, want := must(t, "diff", "0xa1", "0xa3"), must(t, "diff", dir); got != want {
		t.Errorf("diff of two seeds prints\n%s", got)
	}
	must(t, "clean", "-passing")
	if code, _, stderr := invoke("diff", dir); code != exitError || !strings.Contains(stderr, "no passing run of TestKV has an artifact below "+root) {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

func TestList(t *testing.T) {
	root, dir := written(t)
	golden(t, "list", root, must(t, "list"))
	if dirs := must(t, "list", "-dirs", root); strings.Count(dirs, "\n") != 4 || !strings.HasPrefix(dirs, dir+"\n") {
		t.Errorf("list -dirs prints\n%s", dirs)
	}
	empty := t.TempDir()
	if got := must(t, "list", empty); got != "no artifacts below "+empty+"\n" {
		t.Errorf("list of nothing prints %q", got)
	}
	t.Setenv(artifact.RootVariable, artifact.Off)
	if code, _, stderr := invoke("list"); code != exitError || stderr != "faultline: FAULTLINE_ARTIFACTS is off, so there is no artifact root; name one\n" {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

func TestListNamesWhatItCannotRead(t *testing.T) {
	root, dir := written(t)
	if err := os.WriteFile(filepath.Join(dir, artifact.ReportFile), []byte(`{"faultline_report": 9}`), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := invoke("list", root)
	want := "faultline: left alone: artifact: " + filepath.Join(dir, artifact.ReportFile) + ": faultline_report version 9 is newer than this faultline reads (up to 1)\n"
	if code != exitOK || stderr != want || strings.Contains(stdout, "a1") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}

func TestCleanRemovesArtifactsAndNothingElse(t *testing.T) {
	root, dir := written(t)
	place := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	report, err := os.ReadFile(filepath.Join(dir, artifact.ReportFile))
	if err != nil {
		t.Fatal(err)
	}
	// What looks like an artifact, but is a copy, damaged, newer, deeper, higher, or holds a file of the user's.
	write(place("example.com_kv", "TestKV", "00000000000000ff", "report.json"), string(report))
	write(place("example.com_kv", "TestKV", "00000000000000fe", "report.json"), "{")
	write(place("example.com_kv", "TestKV", "00000000000000fd", "report.json"), `{"faultline_report": 2}`)
	write(place("example.com_kv", "TestKV", "00000000000000fc", "notes.txt"), "mine")
	write(place("a", "b", "c", "00000000000000a1", "report.json"), string(report))
	write(place("00000000000000a1", "report.json"), string(report))
	write(place("report.json"), string(report))
	write(place("example.com_kv", "TestKV", "00000000000000a2", "notes.txt"), "mine")
	outside := t.TempDir()
	write(filepath.Join(outside, "report.json"), string(report))
	if err := os.Symlink(outside, place("example.com_kv", "TestKV", "00000000000000fb")); err != nil {
		t.Fatal(err)
	}
	before := tree(t, root)

	code, stdout, stderr := invoke("clean", "-n", root)
	golden(t, "clean-dry", root, stdout+stderr)
	if code != exitError || !reflect.DeepEqual(tree(t, root), before) {
		t.Fatalf("exit %d; a dry run has changed something", code)
	}
	code, stdout, stderr = invoke("clean")
	golden(t, "clean", root, stdout+stderr)
	want := maps.Clone(before)
	for path := range want {
		for _, gone := range []string{"a1", "a3", "a4"} {
			if strings.HasPrefix(path, place("example.com_kv", "TestKV", "00000000000000"+gone)) {
				delete(want, path)
			}
		}
	}
	if got := tree(t, root); code != exitError || !reflect.DeepEqual(got, want) {
		t.Errorf("exit %d, left\n%v\nwant\n%v", code, got, want)
	}
}

func TestCleanOlder(t *testing.T) {
	root, _ := written(t)
	if got := must(t, "clean", root, "-older", "876000h"); got != "removed 0 artifacts, 0.0 MB, below "+root+"\n" {
		t.Errorf("printed %q", got)
	}
	if code, _, stderr := invoke("clean", root, "-older", "-1h"); code != exitError || !strings.Contains(stderr, "-older is -1h0m0s; it accepts") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	must(t, "clean", root)
	if left, err := os.ReadDir(root); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// The pinned test of a package compiles with it and can be found by go vet.
func TestPin(t *testing.T) {
	root, dir := written(t)
	here, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":        "module example.com/kv\n\ngo 1.26.0\n\nrequire github.com/hmdsefi/faultline v0.2.0\n\nrequire github.com/hmdsefi/gograph v0.7.0 // indirect\n\nreplace github.com/hmdsefi/faultline => " + here + "\n",
		"kv_test.go":    "package kv_test\n\nimport \"testing\"\n\nfunc TestKV(t *testing.T) { t.Skip() }\n",
		"empty_test.go": "", // where the output may go
	} {
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := invoke("pin", "-C", module, dir)
	if code != exitOK {
		t.Fatal(stderr)
	}
	golden(t, "pin", root, stdout)
	data := filepath.Join(module, "testdata", "faultline", "TestKVSeed00000000000000a1")
	if files := tree(t, data); len(files) != 4 || files[filepath.Join(data, artifact.DecisionsFile)] == "" || files[filepath.Join(data, artifact.ScheduleFile)] == "" {
		t.Errorf("copied %v", files)
	}
	if _, err := artifact.Read(data); err != nil {
		t.Error(err)
	}
	if code, _, stderr := invoke("pin", "-C", module, dir); code != exitError || !strings.Contains(stderr, "file exists") {
		t.Errorf("a second time: exit %d, %s", code, stderr)
	}
	os.Remove(filepath.Join(module, "empty_test.go"))
	os.RemoveAll(data)
	if code, _, stderr := invoke("pin", "-w", "-C", module, dir); code != exitOK || !strings.Contains(stderr, "run: go test -run '^TestKVSeed00000000000000a1$' example.com/kv") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if testing.Short() {
		return
	}
	sums, err := os.ReadFile(filepath.Join(here, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(module, "go.sum"), sums, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", ".")
	cmd.Dir, cmd.Env = module, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the test does not compile: %v\n%s", err, out)
	}
	if code, _, stderr := invoke("pin", "-C", module, dir); code != exitError || !strings.Contains(stderr, "TestKVSeed00000000000000a1 is there already") {
		t.Errorf("pinned twice: exit %d, %s", code, stderr)
	}
}

func TestPinErrors(t *testing.T) {
	_, dir := written(t)
	module := t.TempDir()
	pin := func(want string) {
		t.Helper()
		if code, stdout, stderr := invoke("pin", "-C", module, dir); code != exitError || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("exit %d, %s%s; want %s", code, stdout, stderr, want)
		}
	}
	pin("is in no module; want the folder of example.com/kv")
	os.WriteFile(filepath.Join(module, "go.mod"), []byte("module example.com/other // not kv\n"), 0o644)
	pin("example.com/kv is not in the module example.com/other of " + module)
	os.WriteFile(filepath.Join(module, "go.mod"), []byte("// mine\nmodule \"example.com\"\n"), 0o644)
	pin("kv: no such file or directory")
	os.Mkdir(filepath.Join(module, "kv"), 0o755)
	pin("has no test function TestKV(t *testing.T); want the folder of example.com/kv")
	if entries, _ := os.ReadDir(filepath.Join(module, "kv")); len(entries) != 0 {
		t.Errorf("left %v", entries)
	}
}

func TestCommandHelp(t *testing.T) {
	for i := range commands {
		c := &commands[i]
		code, stdout, stderr := invoke(c.name, "-h")
		if code != exitOK || stderr != "" || !strings.HasPrefix(stdout, "usage: "+c.line()+"\n") {
			t.Errorf("%s -h: exit %d, %s%s", c.name, code, stdout, stderr)
		}
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		c.set(flags)
		flags.VisitAll(func(f *flag.Flag) {
			if !strings.Contains(stdout, "-"+f.Name) || f.Usage == "" {
				t.Errorf("%s -h does not tell about -%s", c.name, f.Name)
			}
		})
	}
}
