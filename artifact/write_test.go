// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

func TestWriteGolden(t *testing.T) {
	root := t.TempDir()
	run := sampleRun()
	dir := mustWrite(t, root, run)
	if want := filepath.Join(root, "example.com_kv", "TestKV", "287372ab06f1482e"); dir != want {
		t.Errorf("directory %s, want %s", dir, want)
	}
	if !reflect.DeepEqual(run, sampleRun()) {
		t.Error("Write changed the run")
	}
	files := readAll(t, dir)
	for name, text := range files {
		if name == PageFile {
			continue // most of it is script and style, which are read elsewhere
		}
		golden(t, filepath.Join("golden", name), []byte(text))
	}
	want := []string{"cycle.dot", "hb.mmd", "history.jsonl", "report.json", "report.txt", "schedule.json", "timeline.html", "timeline.txt", "toolexec-gaps.txt", "trace.jsonl"}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
}

func TestReadReturnsWhatWriteWrote(t *testing.T) {
	run := sampleRun()
	run.Goroutines, run.Stall = "goroutine 7 [chan receive]:\nmain.f()\n", "no progress for 60s\n"
	run.Report.Failure.Stack = "goroutine 1 [running]:\nmain.main()\n\t/src/main.go:7 +0x1d\n"
	dir := mustWrite(t, t.TempDir(), run)
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	run.Report = complete(run)
	run.Report.Files = slices.Sorted(maps.Keys(readAll(t, dir)))
	got.Report.Options, run.Report.Options = nil, nil // indented in the file
	if !reflect.DeepEqual(got, run) {
		t.Errorf("Read = %+v\nwant %+v", got, run)
	}
	if h := kernel.HashRecords(got.Records); h != uint64(run.Report.Run.TraceHash) {
		t.Errorf("hash of the records read is %x, want %v", h, run.Report.Run.TraceHash)
	}
}

func TestPassingRunHasNoFailureFiles(t *testing.T) {
	run := sampleRun()
	run.Report.Status, run.Report.Failure = Pass, nil
	run.Records, run.Schedule, run.History, run.Extra = nil, nil, nil, nil
	dir := mustWrite(t, t.TempDir(), run)
	want := []string{"report.json", "report.txt", "toolexec-gaps.txt"}
	if got := slices.Sorted(maps.Keys(readAll(t, dir))); !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if _, err := Read(dir); err != nil {
		t.Error(err)
	}
}

func TestReplacement(t *testing.T) {
	root := t.TempDir()
	withStatus := func(s Status) *Run {
		run := sampleRun()
		run.Report.Status = s
		if s == Pass {
			run.Report.Failure = nil
		}
		return run
	}
	status := func(dir string) Status {
		run, err := Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		return run.Report.Status
	}
	dir := mustWrite(t, root, withStatus(Pass))
	mustWrite(t, root, withStatus(Pass))
	mustWrite(t, root, withStatus(Fail))
	if status(dir) != Fail {
		t.Error("a failing run did not replace a passing one")
	}
	again := withStatus(Fail)
	again.Extra = nil
	mustWrite(t, root, again)
	if _, err := os.Stat(filepath.Join(dir, "cycle.dot")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file of the earlier artifact is left: %v", err)
	}
	_, err := Write(root, withStatus(Pass))
	if !errors.Is(err, ErrFailingKept) || status(dir) != Fail || !strings.Contains(err.Error(), dir) {
		t.Errorf("a passing run after a failing one: error %v, status %s", err, status(dir))
	}
	checkNothingElse(t, filepath.Dir(dir), filepath.Base(dir))
}

// checkNothingElse checks that dir holds that one entry.
func checkNothingElse(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != name {
			t.Errorf("%s was left in %s", e.Name(), dir)
		}
	}
}

func TestForeignThingsStay(t *testing.T) {
	for name, make := range map[string]func(dir string) error{
		"empty directory": func(dir string) error { return os.MkdirAll(dir, 0o755) },
		"other directory": func(dir string) error {
			return errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "thesis.tex"), []byte("x"), 0o644))
		},
		"directory with another report.json": func(dir string) error {
			return errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, ReportFile), []byte(`{"status":"fail"}`), 0o644))
		},
		"directory with a broken report.json": func(dir string) error {
			return errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, ReportFile), []byte(`{"faultline_report":1`), 0o644))
		},
		"file": func(dir string) error {
			return errors.Join(os.MkdirAll(filepath.Dir(dir), 0o755), os.WriteFile(dir, []byte("x"), 0o644))
		},
		"link to an artifact": func(dir string) error {
			other, err := Write(filepath.Join(filepath.Dir(dir), "other"), sampleRun())
			return errors.Join(err, os.MkdirAll(filepath.Dir(dir), 0o755), os.Symlink(other, dir))
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			run := sampleRun()
			dir := Dir(root, run.Report.Package, run.Report.Test, uint64(run.Report.Seed))
			if err := make(dir); err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(dir)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Write(root, run)
			if !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), dir) {
				t.Errorf("error %v, want ErrForeign with the path", err)
			}
			if after, err := os.Lstat(dir); err != nil || !os.SameFile(before, after) {
				t.Errorf("it was replaced (%v)", err)
			}
		})
	}
}

func TestWriteReportsWhatItCannotDo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "root")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(file, sampleRun()); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("root is a file: error %v", err)
	}
	root := t.TempDir()
	run := sampleRun()
	run.Report.Options = []byte("{")
	if _, err := Write(root, run); err == nil || !strings.Contains(err.Error(), "report.json") {
		t.Errorf("options that are no JSON: error %v", err)
	}
	run = sampleRun()
	run.Schedule.Events[1].ID = 1
	if _, err := Write(root, run); err == nil || !strings.Contains(err.Error(), "schedule.json: fault: event 1") {
		t.Errorf("a broken schedule: error %v", err)
	}
	checkNothingElse(t, filepath.Join(root, "example.com_kv", "TestKV"), "")
}

func TestReadOnlyRoot(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("needs permissions that bind")
	}
	root := t.TempDir()
	if err := os.Chmod(root, 0o555); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(root, sampleRun()); !errors.Is(err, os.ErrPermission) {
		t.Errorf("error %v, want a permission error", err)
	}
}

func TestExtraFileNames(t *testing.T) {
	run := sampleRun()
	run.Extra = map[string][]byte{
		"ok.txt": nil, "../up.txt": nil, "a/b.txt": nil, `a\b.txt`: nil, ".hidden": nil, "": nil, "..": nil,
		"c:d": nil, ReportFile: nil, "REPORT.JSON": nil, TraceFile: nil,
	}
	root := t.TempDir()
	got, err := Read(mustWrite(t, root, run))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Extra) != 1 || got.Extra["ok.txt"] == nil {
		t.Errorf("extra files %v, want ok.txt alone", slices.Collect(maps.Keys(got.Extra)))
	}
	if n := len(got.Report.Warnings); n != 1+10 {
		t.Errorf("%d warnings, want one for each name that was left out: %q", n, got.Report.Warnings)
	}
	if _, err := os.Stat(filepath.Join(root, "example.com_kv", "TestKV", "up.txt")); err == nil {
		t.Error("a file was written beside the directory")
	}
}

// TestConcurrentWrites lets several writers fight for one place: what readers
// find there is whole at all times.
func TestConcurrentWrites(t *testing.T) {
	root := t.TempDir()
	dir := mustWrite(t, root, sampleRun())
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 10 {
				if _, err := Write(root, sampleRun()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
			data, err := os.ReadFile(filepath.Join(dir, ReportFile))
			if err == nil && !strings.HasSuffix(string(data), "}\n") {
				t.Error("half a report")
			}
			time.Sleep(time.Millisecond)
		}
	}
	if _, err := Read(dir); err != nil {
		t.Error(err)
	}
	checkNothingElse(t, filepath.Dir(dir), filepath.Base(dir))
}

func TestMangle(t *testing.T) {
	for name, want := range map[string]string{
		"example.com/kv":         "example.com_kv",
		"example.com/kv/v2":      "example.com_kv_v2",
		"TestKV":                 "TestKV",
		"TestKV/case=1":          "TestKV_case_1-",
		"TestKV/two_words":       "TestKV_two_words-",
		"example.com_kv":         "example.com_kv-",
		"a//b":                   "a__b-",
		"/a":                     "_a-",
		"..":                     "-",
		".git":                   "git-",
		"a.":                     "a.-",
		"NUL":                    "NUL-",
		"con.txt":                "con.txt-",
		"Prüfung":                "Pr_fung-",
		"":                       "-",
		"x-01234567":             "x-01234567-",
		strings.Repeat("x", 300): strings.Repeat("x", maxName) + "-",
	} {
		got := Mangle(name)
		if hashed := strings.HasSuffix(want, "-"); hashed {
			if !strings.HasPrefix(got, want) || !hashedName.MatchString(got) || len(got) != len(want)+8 {
				t.Errorf("Mangle(%q) = %q, want %q and a hash", name, got, want)
			}
		} else if got != want {
			t.Errorf("Mangle(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestNamesThatTheFileSystemConfuses(t *testing.T) {
	root := t.TempDir()
	run := sampleRun()
	dir := mustWrite(t, root, run)
	run.Report.Test = "TESTKV"
	other := Dir(root, run.Report.Package, run.Report.Test, uint64(run.Report.Seed))
	if err := errors.Join(os.MkdirAll(filepath.Dir(other), 0o755), os.Rename(dir, other)); err != nil {
		t.Fatal(err)
	}
	// As on a file system that ignores case: TestKV's artifact stands at TESTKV.
	_, err := Write(root, run)
	if err == nil || !strings.Contains(err.Error(), "it belongs to test TestKV of example.com/kv") {
		t.Errorf("error %v", err)
	}
}

func FuzzMangle(f *testing.F) {
	f.Add("a/b", "a_b")
	f.Add("TestA/x y", "TestA/x_y")
	f.Add("a-01234567", "a")
	f.Fuzz(func(t *testing.T, a, b string) {
		if a != b && Mangle(a) == Mangle(b) {
			t.Errorf("Mangle(%q) = Mangle(%q) = %q", a, b, Mangle(a))
		}
		if m := Mangle(a); !filepath.IsLocal(m) || filepath.Base(m) != m || len(m) > maxName+9 || strings.HasPrefix(m, ".") {
			t.Errorf("Mangle(%q) = %q, which is not one file name", a, m)
		}
	})
}

func TestWriteTo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pin")
	run := sampleRun()
	if err := WriteTo(dir, run, ScheduleFile, DecisionsFile); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(readAll(t, dir))); !slices.Equal(got, []string{ReportFile, ScheduleFile}) {
		t.Errorf("files %v", got)
	}
	got, err := Read(dir)
	if err != nil || !slices.Equal(got.Report.Files, []string{ReportFile, ScheduleFile}) || !reflect.DeepEqual(got.Schedule, run.Schedule) {
		t.Errorf("read %+v, %v", got, err)
	}
	if err := WriteTo(dir, run); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second time: %v", err)
	}
	run.Schedule.Events[1].ID = 1
	other := filepath.Join(filepath.Dir(dir), "other")
	if err := WriteTo(other, run, ScheduleFile); err == nil || !strings.Contains(err.Error(), "schedule.json: fault: event 1") {
		t.Errorf("a broken schedule: %v", err)
	}
	checkNothingElse(t, filepath.Dir(dir), "pin")
}

func TestRoot(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string]string{
		"off": "", "/a/b": "/a/b", "c": filepath.Join(here, "c"), "": filepath.Join(os.TempDir(), fmt.Sprintf("faultline-%d", os.Getuid())),
	} {
		if got := Root(setting); got != want {
			t.Errorf("Root(%q) = %q, want %q", setting, got, want)
		}
	}
}
