// SPDX-License-Identifier: MPL-2.0

package fsx_test

import (
	"errors"
	"io/fs"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hmdsefi/faultline/shims/fsx"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// slow makes every operation take a second.
func slow() simdisk.Config {
	second := simdisk.Latencies{Min: time.Second, Max: time.Second}
	return simdisk.Config{
		Crash: simdisk.CrashLoseUnsynced,
		Latency: map[simdisk.Op]simdisk.Latencies{
			simdisk.OpMeta: second, simdisk.OpRead: second, simdisk.OpWrite: second,
			simdisk.OpSync: second, simdisk.OpSyncDir: second,
		},
	}
}

// TestLatency: every call takes the latency of its kind, in virtual time.
func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		simulate(slow(), func(w *world, fsys fsx.FS) {
			defer func() { w.done = true }()
			var f fsx.File
			b := make([]byte, 1)
			for _, s := range []struct {
				name string
				want time.Duration
				use  func() error
			}{
				{"Create", time.Second, func() (err error) { f, err = fsys.Create("f"); return err }},
				{"Write", time.Second, func() error { _, err := f.Write(b); return err }},
				{"Sync", time.Second, func() error { return f.Sync() }},
				{"SyncDir", time.Second, func() error { return fsys.SyncDir("/") }},
				{"Seek", 0, func() error { _, err := f.Seek(0, 0); return err }},
				{"Read", time.Second, func() error { _, err := f.Read(b); return err }},
				{"Stat", time.Second, func() error { _, err := f.Stat(); return err }},
				{"Name", 0, func() error { f.Name(); return nil }},
				{"Close", 0, func() error { return f.Close() }},
				{"ReadFile", time.Second, func() error { _, err := fsys.ReadFile("f"); return err }},
			} {
				start := time.Now()
				if err := s.use(); err != nil {
					t.Errorf("%s: %v", s.name, err)
				}
				if took := time.Since(start); took != s.want {
					t.Errorf("%s took %v of virtual time, want %v", s.name, took, s.want)
				}
			}
		})
	})
}

// TestConcurrentLatency: operations of several goroutines overlap.
func TestConcurrentLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		simulate(slow(), func(w *world, fsys fsx.FS) {
			defer func() { w.done = true }()
			start := time.Now()
			var wg sync.WaitGroup
			for _, name := range []string{"a", "b", "c"} {
				wg.Go(func() {
					if err := fsys.Mkdir(name, 0o755); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if took := time.Since(start); took != time.Second {
				t.Errorf("three operations at once took %v, want %v", took, time.Second)
			}
		})
	})
}

// TestCrash: a crash ends the call that waits, without effect, and every later call
// of that incarnation; the next incarnation finds what was durable.
func TestCrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ghost fsx.FS
		var handle fsx.File
		var interrupted error
		w := simulate(slow(), func(w *world, fsys fsx.FS) {
			if ghost != nil {
				defer func() { w.done = true }()
				secondLife(t, fsys, ghost, handle)
				return
			}
			ghost = fsys
			handle = firstLife(t, fsys)
			w.control(func() {
				w.sim.After(time.Second/2, func() { w.node.Crash() })
				w.sim.After(2*time.Second, func() { w.node.Restart() })
			})
			interrupted = handle.Sync()
		})
		if !errors.Is(interrupted, syscall.ESTALE) {
			t.Errorf("the sync that the crash interrupted: %v, want %v", interrupted, syscall.ESTALE)
		}
		for _, r := range w.sim.Records() {
			if r.Kind == "disk.crash" {
				return
			}
		}
		t.Error("no record says what the crash lost")
	})
}

// firstLife leaves a durable file, a file without a durable entry, and an unsynced
// write, and returns the handle of the first.
func firstLife(t *testing.T, fsys fsx.FS) fsx.File {
	f, err := fsys.Create("wal")
	if err != nil {
		t.Error(err)
	}
	_, err = f.WriteString("durable")
	err = errors.Join(err, f.Sync(), fsys.SyncDir("/"))
	_, werr := f.WriteString(" unsynced")
	if err := errors.Join(err, werr); err != nil {
		t.Error(err)
	}
	return f
}

// secondLife states what the crash left, and that the first incarnation, which lives
// on as a ghost, changes nothing.
func secondLife(t *testing.T, fsys, ghost fsx.FS, handle fsx.File) {
	_, writeErr := handle.WriteString("from beyond")
	_, openErr := ghost.Open("wal")
	_, statErr := ghost.Stat("wal")
	for _, err := range []error{
		writeErr, openErr, statErr,
		ghost.WriteFile("wal", nil, 0o644), ghost.Remove("wal"), ghost.Rename("wal", "lost"), ghost.SyncDir("/"), handle.Close(),
	} {
		if !errors.Is(err, syscall.ESTALE) {
			t.Errorf("a call of the ghost: %v, want %v", err, syscall.ESTALE)
		}
	}
	var named *fs.PathError
	if !errors.As(openErr, &named) || named.Path != "wal" || named.Op != "open" {
		t.Errorf("the error of the ghost's Open is %#v", openErr)
	}
	data, err := fsys.ReadFile("wal")
	if string(data) != "durable" || err != nil {
		t.Errorf("the crash left %q, %v", data, err)
	}
}

// TestPause: an operation of a paused node waits for its resume.
func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := simulate(slow(), func(w *world, fsys fsx.FS) {
			defer func() { w.done = true }()
			w.control(func() {
				w.sim.After(time.Second/2, func() { w.node.Pause() })
				w.sim.After(time.Minute, func() { w.node.Resume() })
			})
			if err := fsys.WriteFile("f", nil, 0o644); err != nil {
				t.Error(err)
			}
		})
		if got, want := w.sim.Now(), kernel.Time(time.Minute); got != want {
			t.Errorf("the write ended at %v, want %v", got, want)
		}
	})
}

// TestPauseCrash: an operation that waits for a resume ends when the node crashes.
func TestPauseCrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := simulate(slow(), func(w *world, fsys fsx.FS) {
			defer func() { w.done = true }()
			w.control(func() {
				w.sim.After(time.Second/2, func() { w.node.Pause() })
				w.sim.After(time.Minute, func() { w.node.Crash() })
			})
			if err := fsys.WriteFile("f", nil, 0o644); !errors.Is(err, syscall.ESTALE) {
				t.Errorf("the write: %v, want %v", err, syscall.ESTALE)
			}
		})
		if files := w.vol.Files(); len(files) > 0 {
			t.Errorf("the volume holds %q", files)
		}
	})
}

// TestOutside: code outside any process has the volume too.
func TestOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var content string
		w := simulate(slow(), func(w *world, fsys fsx.FS) {
			if err := fsys.WriteFile("f", []byte("x"), 0o644); err != nil {
				t.Error(err)
			}
			go func() {
				defer func() { w.done = true }()
				data, err := fsx.Sim(w.driver.Outside(), w.vol).ReadFile("f")
				if err != nil {
					t.Error(err)
				}
				content = string(data)
			}()
		})
		if content != "x" {
			t.Errorf("read %q", content)
		}
		w.driver.Inline(func() {
			if _, err := fsx.Sim(w.driver.Outside(), w.vol).Stat("f"); !errors.Is(err, syscall.ESTALE) {
				t.Errorf("after the end: %v, want %v", err, syscall.ESTALE)
			}
		})
	})
}

// TestInline: a test body reads and writes at once.
func TestInline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		simulate(slow(), func(w *world, fsys fsx.FS) {
			defer func() { w.done = true }()
			w.control(func() {
				w.driver.Inline(func() {
					if err := fsys.WriteFile("f", nil, 0o644); err != nil {
						t.Error(err)
					}
				})
			})
		})
	})
}

// TestDiskErrors: what the disk refuses arrives as on a real one.
func TestDiskErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		simulate(simdisk.Config{Capacity: 8}, func(w *world, fsys fsx.FS) {
			defer func() { w.done = true }()
			f, err := fsys.Create("f")
			if err != nil {
				t.Error(err)
				return
			}
			if n, err := f.WriteString("0123456789"); n != 8 || !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("a write to a full disk: %d, %v; want 8, %v", n, err, syscall.ENOSPC)
			}
			w.control(func() { w.vol.FailSyncs(2) })
			if err := f.Sync(); !errors.Is(err, syscall.EIO) {
				t.Errorf("Sync: %v, want %v", err, syscall.EIO)
			}
			if err := fsys.SyncDir("/"); !errors.Is(err, syscall.EIO) {
				t.Errorf("SyncDir: %v, want %v", err, syscall.EIO)
			}
		})
	})
}
