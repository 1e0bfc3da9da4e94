// SPDX-License-Identifier: MPL-2.0

package fsx_test

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/fsx"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

func openLock(t *testing.T, fsys fsx.FS) fsx.File {
	f, err := fsys.OpenFile("LOCK", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Error(err)
	}
	return f
}

// TestCrashFreesLocks: the next incarnation gets the lock at once, and a goroutine of the last one that waits for it ends.
func TestCrashFreesLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waited error
		first := true
		simulate(simdisk.Config{}, func(w *world, fsys fsx.FS) {
			if !first {
				defer func() { w.done = true }()
				if granted, err := openLock(t, fsys).TryLock(); !granted || err != nil {
					t.Errorf("after the crash: %v, %v", granted, err)
				}
				return
			}
			first = false
			holder, waiter := openLock(t, fsys), openLock(t, fsys)
			if err := holder.Lock(); err != nil {
				t.Error(err)
			}
			w.control(func() {
				w.sim.After(time.Second, func() { w.node.Crash() })
				w.sim.After(2*time.Second, func() { w.node.Restart() })
			})
			waited = waiter.Lock()
		})
		if !errors.Is(waited, syscall.ESTALE) {
			t.Errorf("the lock that the crash interrupted: %v", waited)
		}
	})
}

// TestExitFreesLocks: a process that ends while its node goes on closes its files. Another process of the same volume, here
// one outside any node, waits for that.
func TestExitFreesLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		simulate(simdisk.Config{}, func(w *world, fsys fsx.FS) {
			defer func() { w.done = true }()
			f := openLock(t, fsys)
			if err := f.Lock(); err != nil {
				t.Error(err)
			}
			other := openLock(t, fsx.Sim(w.driver.Outside(), w.vol))
			if granted, err := other.TryLock(); granted || err != nil {
				t.Errorf("while the process lives: %v, %v", granted, err)
			}
			w.control(func() {
				w.sim.After(time.Second, func() { w.driver.Proc(w.node).End(errors.New("returned")) })
			})
			start := time.Now()
			if err := other.Lock(); err != nil || time.Since(start) != time.Second {
				t.Errorf("the lock came after %v, %v", time.Since(start), err)
			}
			if _, err := f.Stat(); !errors.Is(err, syscall.ESTALE) {
				t.Errorf("a call of the process that has ended: %v", err)
			}
		})
	})
}

// TestPausedWaiter: a lock that is granted to a paused process is seen when it resumes.
func TestPausedWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		simulate(simdisk.Config{}, func(w *world, fsys fsx.FS) {
			defer func() { w.done = true }()
			other := openLock(t, fsx.Sim(w.driver.Outside(), w.vol))
			if err := other.Lock(); err != nil {
				t.Error(err)
			}
			w.control(func() {
				w.sim.After(1*time.Second, func() { w.node.Pause() })
				w.sim.After(2*time.Second, func() { w.driver.Inline(func() { _ = other.Close() }) })
				w.sim.After(3*time.Second, func() { w.node.Resume() })
			})
			start := time.Now()
			if err := openLock(t, fsys).Lock(); err != nil || time.Since(start) != 3*time.Second {
				t.Errorf("the lock came after %v, %v", time.Since(start), err)
			}
		})
	})
}

// TestCloseEndsLock: a Lock that waits ends when its file is closed.
func TestCloseEndsLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		simulate(simdisk.Config{}, func(w *world, fsys fsx.FS) {
			defer func() { w.done = true }()
			a, b := openLock(t, fsys), openLock(t, fsys)
			if err := a.Lock(); err != nil {
				t.Error(err)
			}
			time.AfterFunc(time.Second, func() { _ = b.Close() })
			if err := b.RLock(); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("RLock of a file that was closed meanwhile: %v", err)
			}
		})
	})
}

// TestInlineLock: a test body cannot wait for a lock, and leaves no request behind.
func TestInlineLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		simulate(simdisk.Config{}, func(w *world, fsys fsx.FS) {
			defer func() { w.done = true }()
			held := openLock(t, fsys)
			if err := held.Lock(); err != nil {
				t.Error(err)
			}
			w.control(func() {
				w.driver.Inline(func() {
					f := openLock(t, fsys)
					var named *fs.PathError
					if err := f.Lock(); !errors.Is(err, driver.ErrWouldBlock) || !errors.As(err, &named) {
						t.Errorf("Lock of a test body: %v", err)
					}
				})
			})
			if err := held.Unlock(); err != nil {
				t.Error(err)
			}
			if granted, err := openLock(t, fsys).TryLock(); !granted || err != nil {
				t.Errorf("TryLock: %v, %v", granted, err)
			}
		})
	})
}
