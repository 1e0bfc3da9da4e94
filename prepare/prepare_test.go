// SPDX-License-Identifier: MPL-2.0

package prepare

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestPrepareMakesOneEntryOnce(t *testing.T) {
	job, tc := newFake(t)
	started := 0
	job.Started = func(Toolchain) { started++ }
	first, took, err := job.Prepare(t.Context(), tc)
	if err != nil || took <= 0 {
		t.Fatalf("first: took %v, %v", took, err)
	}
	second, took, err := job.Prepare(t.Context(), tc)
	if err != nil || took != 0 || started != 1 {
		t.Fatalf("second: took %v, started %d times, %v", took, started, err)
	}
	if first.Dir != second.Dir || first.Hash() != second.Hash() || first.Files() != 2 || len(first.Rules()) != 1 {
		t.Errorf("entries %+v and %+v", first, second)
	}
	if err := first.Verify(); err != nil {
		t.Error(err)
	}
}

func TestSourcesOfAPackage(t *testing.T) {
	job, tc := newFake(t)
	e, _, err := job.Prepare(t.Context(), tc)
	if err != nil {
		t.Fatal(err)
	}
	got, ok, err := e.Sources("runtime")
	want := Sources{
		Dir:      filepath.Join(tc.Goroot, "src", "runtime"),
		EntryDir: filepath.Join(e.Dir, "src", "runtime"),
		Replaced: []string{"proc.go"},
		Added:    []string{"added.go"},
	}
	if err != nil || !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("Sources(runtime) = %+v, %v, %v; want %+v", got, ok, err, want)
	}
	for _, other := range []string{"runtime/a", "run", "fmt"} {
		if _, ok, err := e.Sources(other); ok || err != nil {
			t.Errorf("Sources(%s) = %v, %v", other, ok, err)
		}
	}
}

// An entry is made for one wrapper and one place of a toolchain.
func TestEntriesAreKeptApart(t *testing.T) {
	job, tc := newFake(t)
	if _, _, err := job.Prepare(t.Context(), tc); err != nil {
		t.Fatal(err)
	}
	other := Cache{Dir: job.Cache.Dir, Identity: "another wrapper"}
	if _, err := other.Open(tc); !errors.Is(err, ErrNotPrepared) {
		t.Errorf("another wrapper: %v", err)
	}
	_, elsewhere := newFake(t)
	if _, err := job.Cache.Open(elsewhere); !errors.Is(err, ErrNotPrepared) {
		t.Errorf("another place: %v", err)
	}
}

// Whatever changes in an entry, or in the toolchain behind it, is noticed before use and mended by Prepare.
func TestDamageIsFoundAndMended(t *testing.T) {
	damages := map[string]func(t *testing.T, entry, goroot string){
		"changed file":    func(t *testing.T, entry, _ string) { put(t, entry+"/src/runtime/proc.go", "package runtime\n") },
		"missing file":    func(t *testing.T, entry, _ string) { remove(t, entry+"/src/runtime/added.go") },
		"missing list":    func(t *testing.T, entry, _ string) { remove(t, entry+"/manifest.json") },
		"unreadable list": func(t *testing.T, entry, _ string) { put(t, entry+"/manifest.json", "{") },
		"later list":      func(t *testing.T, entry, _ string) { put(t, entry+"/manifest.json", `{"faultline_prepared": 2}`) },
		"path outside": func(t *testing.T, entry, _ string) {
			put(t, entry+"/manifest.json",
				`{"faultline_prepared": 1, "toolchain": "go1.26.99", "files": [{"path": "../../x.go"}]}`)
		},
		"link outside": func(t *testing.T, entry, _ string) {
			target := filepath.Join(t.TempDir(), "proc.go")
			put(t, target, "package runtime // patched\n") // the content is right
			remove(t, entry+"/src/runtime/proc.go")
			if err := os.Symlink(target, entry+"/src/runtime/proc.go"); err != nil {
				t.Fatal(err)
			}
		},
		"link for a directory": func(t *testing.T, entry, _ string) {
			elsewhere := filepath.Join(t.TempDir(), "entry")
			if err := errors.Join(os.Rename(entry, elsewhere), os.Symlink(elsewhere, entry)); err != nil { // all content is right
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if _, err := os.Stat(filepath.Join(elsewhere, "manifest.json")); err != nil {
					t.Errorf("what the link led to was changed: %v", err)
				}
			})
		},
		"directory for a list": func(t *testing.T, entry, _ string) {
			remove(t, entry+"/manifest.json")
			put(t, entry+"/manifest.json/file", "")
		},
		"changed toolchain": func(t *testing.T, _, goroot string) {
			put(t, goroot+"/src/runtime/proc.go", "package runtime // security release\n")
		},
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			job, tc := newFake(t)
			e, _, err := job.Prepare(t.Context(), tc)
			if err != nil {
				t.Fatal(err)
			}
			damage(t, e.Dir, tc.Goroot)
			if _, err := job.Cache.Open(tc); !errors.Is(err, ErrDamaged) {
				t.Fatalf("Open: %v", err)
			}
			if _, took, err := job.Prepare(t.Context(), tc); err != nil || took == 0 {
				t.Fatalf("Prepare: took %v, %v", took, err)
			}
			if _, err := job.Cache.Open(tc); err != nil {
				t.Errorf("Open after Prepare: %v", err)
			}
			wantNothingPartial(t, job)
		})
	}
}

func TestSourcesOfADamagedPackage(t *testing.T) {
	job, tc := newFake(t)
	e, _, err := job.Prepare(t.Context(), tc)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(e.Dir, "src", "runtime", "added.go"), "package runtime\n")
	if _, _, err := e.Sources("runtime"); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "added.go") {
		t.Errorf("Sources: %v", err)
	}
}

func TestPrepareAtOnce(t *testing.T) {
	job, tc := newFake(t)
	dirs := make([]string, 8)
	var wg sync.WaitGroup
	for i := range dirs {
		wg.Go(func() {
			e, _, err := job.Prepare(t.Context(), tc)
			if err != nil {
				t.Error(err)
				return
			}
			dirs[i] = e.Dir
		})
	}
	wg.Wait()
	for _, dir := range dirs {
		if dir != job.Cache.Path(tc) {
			t.Errorf("entry in %q", dir)
		}
	}
	wantNothingPartial(t, job)
	if _, err := job.Cache.Open(tc); err != nil {
		t.Error(err)
	}
}

// TestPrepareKilled runs itself in a process that the fake go command kills in the middle of the build.
func TestPrepareKilled(t *testing.T) {
	const variable = "FAULTLINE_TEST_KILLED_CACHE"
	job, tc := newFake(t)
	if dir := os.Getenv(variable); dir != "" {
		job.Cache.Dir = dir
		_, _, err := job.Prepare(t.Context(), tc)
		t.Fatalf("survived: %v", err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestPrepareKilled$")
	cmd.Env = append(os.Environ(), variable+"="+job.Cache.Dir, "FAKE_BUILD=kill")
	if out, err := cmd.CombinedOutput(); err == nil || strings.Contains(string(out), "survived") {
		t.Fatalf("%v\n%s", err, out)
	}
	left := partials(t, job)
	if len(left) != 1 {
		t.Fatalf("the killed preparation left %v", left)
	}
	if _, err := job.Cache.Open(tc); !errors.Is(err, ErrNotPrepared) {
		t.Errorf("after the kill: %v", err)
	}
	if _, _, err := job.Prepare(t.Context(), tc); err != nil {
		t.Error(err)
	}
	if now := partials(t, job); !reflect.DeepEqual(now, left) {
		t.Errorf("a preparation that may still go on was touched: %v, then %v", left, now)
	}

	long := time.Now().Add(-2 * partialLife)
	if err := os.Chtimes(left[0], long, long); err != nil {
		t.Fatal(err)
	}
	job.Cache.Identity = "another"
	if _, _, err := job.Prepare(t.Context(), tc); err != nil {
		t.Error(err)
	}
	wantNothingPartial(t, job)
}

// Entries that are not used go with the next preparation of another; what is not an entry stays.
func TestPrepareRemovesUnusedEntries(t *testing.T) {
	job, tc := newFake(t)
	prepareAs := func(identity string) *Entry {
		t.Helper()
		job.Cache.Identity = identity
		e, _, err := job.Prepare(t.Context(), tc)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	unused, opened, marked := prepareAs("unused"), prepareAs("opened"), prepareAs("marked")
	foreign := []string{"notes/manifest.json", "go1.26.99-notes/manifest.json", "go1.26.99-0123456789abcdef"}
	for _, name := range foreign {
		put(t, filepath.Join(job.Cache.Dir, name), "")
	}
	outside := filepath.Join(t.TempDir(), "manifest.json")
	put(t, outside, "")
	link := filepath.Join(job.Cache.Dir, "go1.26.99-fedcba9876543210")
	if err := os.Symlink(filepath.Dir(outside), link); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-entryLife - time.Hour)
	for _, file := range []string{
		unused.Dir + "/manifest.json", opened.Dir + "/manifest.json", marked.Dir + "/manifest.json", outside,
		filepath.Join(job.Cache.Dir, foreign[0]), filepath.Join(job.Cache.Dir, foreign[1]), filepath.Join(job.Cache.Dir, foreign[2]),
	} {
		if err := os.Chtimes(file, long, long); err != nil {
			t.Fatal(err)
		}
	}

	prepareAs("opened")
	marked.Touch()
	prepareAs("new")
	for what, e := range map[string]*Entry{"opened": opened, "marked": marked} {
		if err := e.Verify(); err != nil {
			t.Errorf("the entry that was %s: %v", what, err)
		}
	}
	if _, err := OpenEntry(unused.Dir, tc); !errors.Is(err, ErrNotPrepared) {
		t.Errorf("the unused entry: %v", err)
	}
	for _, file := range append([]string{outside, link}, foreign...) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(job.Cache.Dir, file)
		}
		if _, err := os.Lstat(file); err != nil {
			t.Error(err)
		}
	}
	wantNothingPartial(t, job)
}

func TestPrepareFails(t *testing.T) {
	tests := []struct{ name, variable, value, want string }{
		{"build", "FAKE_BUILD", "fail", "proc.go:7:1: syntax error"},
		{"self-test does not pass", "FAKE_SELFTEST", "fail", "broken"},
		{"runs differ", "FAKE_SELFTEST", "differs", "two processes with seed 0 differ under go1.26.99"},
		{"seed without effect", "FAKE_SELFTEST", "constant", "the seed decides nothing under go1.26.99"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv(test.variable, test.value)
			job, tc := newFake(t)
			if _, _, err := job.Prepare(t.Context(), tc); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
			if _, err := job.Cache.Open(tc); !errors.Is(err, ErrNotPrepared) {
				t.Errorf("after the failure: %v", err)
			}
			wantNothingPartial(t, job)
		})
	}
}

func TestPrepareUnknownToolchain(t *testing.T) {
	job, tc := newFake(t)
	unknown := errors.New("rule gate does not apply")
	job.Apply = func(string) (*Patch, error) { return nil, unknown }
	if _, _, err := job.Prepare(t.Context(), tc); !errors.Is(err, unknown) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(job.Cache.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused toolchain made %s: %v", job.Cache.Dir, err)
	}
}

func TestPrepareWithoutWriteAccess(t *testing.T) {
	job, tc := newFake(t)
	file := filepath.Join(t.TempDir(), "file")
	put(t, file, "")
	job.Cache.Dir = filepath.Join(file, "cache")
	_, _, err := job.Prepare(t.Context(), tc)
	if err == nil || !strings.Contains(err.Error(), "cannot write the cache directory") ||
		!strings.Contains(err.Error(), file) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

// Each system has a place of its own for caches.
func TestDefaultDir(t *testing.T) {
	base := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "LocalAppData", "HOME"} {
		t.Setenv(name, filepath.Join(base, name))
	}
	want := map[string]string{"windows": "LocalAppData/faultline", "darwin": "HOME/Library/Caches/faultline"}[runtime.GOOS]
	if want == "" {
		want = "XDG_CACHE_HOME/faultline"
	}
	if dir, err := DefaultDir(); err != nil || dir != filepath.Join(base, want) {
		t.Errorf("DefaultDir() = %s, %v; want it to end in %s", dir, err, want)
	}
}

func remove(t *testing.T, file string) {
	t.Helper()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

func partials(t *testing.T, job Job) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(job.Cache.Dir, partialPrefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func wantNothingPartial(t *testing.T, job Job) {
	t.Helper()
	if left := partials(t, job); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
