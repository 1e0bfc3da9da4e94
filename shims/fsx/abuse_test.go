// SPDX-License-Identifier: MPL-2.0

package fsx_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hmdsefi/faultline/shims/fsx"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// abuses misuse a file system and note what it says.
var abuses = []struct {
	name string
	run  func(fsys fsx.FS, note func(what string, result any, err error))
}{
	{"offsets beyond every file", func(fsys fsx.FS, note func(string, any, error)) {
		f := create(fsys)
		defer f.Close()
		for _, off := range []int64{1 << 62, math.MaxInt64} {
			n, err := f.WriteAt([]byte("x"), off)
			note("write", n, err)
			n, err = f.ReadAt(make([]byte, 1), off)
			note("read", n, err)
			note("truncate", off, f.Truncate(off))
			note("truncate by name", off, fsys.Truncate("f", off))
		}
		note("truncate", -1, f.Truncate(-1))
		_, err := f.Seek(-1, io.SeekStart)
		note("seek", -1, err)
		info, err := f.Stat()
		note("size", info.Size(), err)
	}},
	{"huge reads", func(fsys fsx.FS, note func(string, any, error)) {
		f := create(fsys)
		defer f.Close()
		_, _ = f.WriteString("abc")
		huge := make([]byte, 64<<20)
		n, err := f.ReadAt(huge, 0)
		note("ReadAt", n, err)
		_, _ = f.Seek(0, io.SeekStart)
		n, err = f.Read(huge)
		note("Read", n, err)
		n, err = f.Read(huge)
		note("Read at the end", n, err)
	}},
	{"closes at one time", func(fsys fsx.FS, note func(string, any, error)) {
		f := create(fsys)
		note("results", together(10, f.Close), nil)
	}},
	{"use while it is closed", func(fsys fsx.FS, note func(string, any, error)) {
		f := create(fsys)
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				for {
					if _, err := f.WriteAt([]byte("x"), 0); err != nil {
						note("write", "ended", err)
						return
					}
				}
			})
		}
		time.Sleep(time.Millisecond)
		note("close", "once", f.Close())
		wg.Wait()
	}},
	{"impossible names", func(fsys fsx.FS, note func(string, any, error)) {
		f := create(fsys)
		defer f.Close()
		for _, name := range []string{strings.Repeat("n", 256), "a\x00b", "", "f/x", "none/x", "/.."} {
			_, err := fsys.Open(name)
			note("open", name, err)
			_, err = fsys.Stat(name)
			note("stat", name, err)
			note("write file", name, fsys.WriteFile(name, nil, 0o644))
			note("mkdir", name, fsys.Mkdir(name, 0o755))
			note("remove", name, fsys.Remove(name))
			note("rename", name, fsys.Rename("f", name))
			note("rename", name, fsys.Rename(name, "f"))
			note("sync", name, fsys.SyncDir(name))
		}
	}},
	{"a directory as a file, and the reverse", func(fsys fsx.FS, note func(string, any, error)) {
		f := create(fsys)
		defer f.Close()
		_, err := f.ReadDir(-1)
		note("list a file", nil, err)
		note("sync a file as a directory", nil, fsys.SyncDir("f"))
		note("make", nil, fsys.Mkdir("d", 0o755))
		d, err := fsys.Open("d")
		note("open", nil, err)
		defer d.Close()
		_, err = d.Write([]byte("x"))
		note("write", nil, err)
		_, err = d.Read(make([]byte, 1))
		note("read", nil, err)
		note("truncate", nil, d.Truncate(0))
		_, err = fsys.Create("d")
		note("create", nil, err)
		_, err = fsys.ReadFile("d")
		note("read file", nil, err)
	}},
}

func create(fsys fsx.FS) fsx.File {
	f, err := fsys.Create("f")
	if err != nil {
		panic(err)
	}
	return f
}

// together calls fn on n goroutines and counts what it returns.
func together(n int, fn func() error) map[string]int {
	errs := make(chan error)
	for range n {
		go func() { errs <- fn() }()
	}
	counts := map[string]int{}
	for range n {
		counts[fmt.Sprint(<-errs)]++
	}
	return counts
}

// Whatever is asked of the simulated disk, it answers with the errors of the real one.
func TestAbuse(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the simulated disk is modelled on Linux")
	}
	for _, a := range abuses {
		t.Run(a.name, func(t *testing.T) {
			play := func(fsys fsx.FS) (notes []string) {
				var mu sync.Mutex
				a.run(fsys, func(what string, result any, err error) {
					mu.Lock()
					defer mu.Unlock()
					for errors.Unwrap(err) != nil {
						err = errors.Unwrap(err)
					}
					notes = append(notes, fmt.Sprintf("%s %.10q: %v", what, fmt.Sprint(result), err))
				})
				slices.Sort(notes) // goroutines end in any order
				return notes
			}
			want := play(newOS(t))
			var got []string
			synctest.Test(t, func(t *testing.T) {
				simulate(simdisk.Config{}, func(w *world, fsys fsx.FS) {
					got = play(fsys)
					w.done = true
				})
			})
			if !slices.Equal(got, want) {
				t.Errorf("simulated:\n%s\nreal:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}
