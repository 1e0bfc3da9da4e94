// SPDX-License-Identifier: MPL-2.0

package simdisk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// lockWorld is a volume with a file that is open several times. What becomes of the requests is noted in the order in which
// it does.
type lockWorld struct {
	t     *testing.T
	node  *kernel.Node
	vol   *simdisk.Volume
	files []*simdisk.File
	log   []string
}

func newLockWorld(t *testing.T, handles int) *lockWorld {
	n, v := boot(1, simdisk.Config{})
	w := &lockWorld{t: t, node: n, vol: v}
	for range handles {
		w.files = append(w.files, w.open())
	}
	return w
}

func (w *lockWorld) open() *simdisk.File {
	f, err := w.vol.Create("/LOCK")
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

// lock asks for the lock in the name of the i-th handle.
func (w *lockWorld) lock(i int, mode simdisk.LockMode) (giveUp func()) {
	return w.files[i].Lock(mode, func(err error) {
		switch {
		case errors.Is(err, fs.ErrClosed):
			w.log = append(w.log, fmt.Sprint(i, " closed"))
		case err != nil:
			w.log = append(w.log, fmt.Sprint(i, " ", err))
		default:
			w.log = append(w.log, fmt.Sprint(i, " ", mode))
		}
	})
}

func (w *lockWorld) unlock(i int) {
	if err := w.files[i].Unlock(); err != nil {
		w.t.Error(err)
	}
}

func (w *lockWorld) want(log ...string) {
	w.t.Helper()
	if !slices.Equal(w.log, log) {
		w.t.Errorf("got %q, want %q", w.log, log)
	}
}

func TestLockServesInOrder(t *testing.T) {
	w := newLockWorld(t, 5)
	w.lock(0, simdisk.Exclusive)
	w.lock(1, simdisk.Shared)
	w.lock(2, simdisk.Exclusive)
	w.lock(3, simdisk.Shared)
	w.lock(4, simdisk.Exclusive)
	w.want("0 exclusive")
	w.unlock(0) // both that share come in, past the one between
	w.want("0 exclusive", "1 shared", "3 shared")
	w.unlock(1)
	w.unlock(3)
	w.unlock(2)
	w.want("0 exclusive", "1 shared", "3 shared", "2 exclusive", "4 exclusive")
}

func TestLockRequestsEnd(t *testing.T) {
	w := newLockWorld(t, 4)
	w.lock(0, simdisk.Exclusive)
	giveUp := w.lock(1, simdisk.Exclusive)
	w.lock(2, simdisk.Exclusive)
	w.lock(3, simdisk.Exclusive)
	giveUp()
	if err := w.files[2].Close(); err != nil {
		t.Error(err)
	}
	w.unlock(0)
	w.want("0 exclusive", "2 closed", "3 exclusive")
	giveUp() // has no effect by now
	if got, err := w.files[0].TryLock(simdisk.Shared); got || err != nil {
		t.Errorf("TryLock: %v, %v", got, err)
	}
}

// Two requests of one file are one holder: the second changes the mode that the first has got.
func TestLockRequestsOfOneFile(t *testing.T) {
	w := newLockWorld(t, 2)
	w.lock(0, simdisk.Exclusive)
	w.lock(1, simdisk.Shared)
	w.lock(1, simdisk.Exclusive)
	w.unlock(0)
	w.want("0 exclusive", "1 shared", "1 exclusive")
	w.unlock(1)
	w.lock(0, simdisk.Exclusive)
	w.want("0 exclusive", "1 shared", "1 exclusive", "0 exclusive")
}

// One that shares makes way for others when it asks for the lock alone.
func TestLockUpgradeMakesWay(t *testing.T) {
	w := newLockWorld(t, 3)
	w.lock(0, simdisk.Shared)
	w.lock(1, simdisk.Shared)
	w.lock(0, simdisk.Exclusive)
	w.lock(1, simdisk.Exclusive) // would wait for each other, did 0 not let go
	w.want("0 shared", "1 shared", "1 exclusive")
	w.unlock(1)
	w.want("0 shared", "1 shared", "1 exclusive", "0 exclusive")
}

func TestCrashFreesLocks(t *testing.T) {
	w := newLockWorld(t, 2)
	w.lock(0, simdisk.Exclusive)
	w.lock(1, simdisk.Exclusive)
	w.node.Crash()
	w.node.Restart()
	for _, f := range w.files {
		if _, err := f.TryLock(simdisk.Shared); !errors.Is(err, simdisk.ErrStale) {
			t.Errorf("TryLock of a handle that the crash left: %v", err)
		}
		if err := f.Unlock(); !errors.Is(err, simdisk.ErrStale) {
			t.Errorf("Unlock of a handle that the crash left: %v", err)
		}
		if err := f.Close(); !errors.Is(err, simdisk.ErrStale) {
			t.Errorf("Close of a handle that the crash left: %v", err)
		}
	}
	w.want("0 exclusive")
	if got, err := w.open().TryLock(simdisk.Exclusive); !got || err != nil {
		t.Errorf("after the crash: %v, %v", got, err)
	}
}

// Who holds a lock, and since when, is part of the trace.
func TestLockRecords(t *testing.T) {
	w := newLockWorld(t, 2)
	w.lock(0, simdisk.Shared)
	w.lock(1, simdisk.Exclusive)
	w.unlock(0)
	var got []string
	for _, r := range w.node.Sim().Records() {
		if r.Kind == "disk.lock" || r.Kind == "disk.unlock" {
			got = append(got, string(r.Kind)+" "+r.Text)
		}
	}
	want := []string{"disk.lock /LOCK shared", "disk.unlock /LOCK shared", "disk.lock /LOCK exclusive"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
