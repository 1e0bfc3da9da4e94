// SPDX-License-Identifier: MPL-2.0

package fsx

import (
	"errors"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// Locker is the advisory lock of a file, as of flock(2). It keeps nobody from reading
// or writing; only other locks heed it. It belongs to the File and not to the process:
// two Files of one process that have the same file open exclude each other. Closing the
// File lets go of it, and so does the end of its process, by a crash or otherwise.
//
// A File that holds the lock in the other mode lets go of it before it takes it anew;
// in between another may take it. On systems without flock, the real disk returns an
// error that matches [errors.ErrUnsupported].
type Locker interface {
	// Lock waits until no other File holds the lock and takes it for this one alone.
	// What becomes of a Lock that waits while its File is closed differs: the
	// simulated disk returns fs.ErrClosed, the real one goes on to wait.
	Lock() error
	// RLock is Lock for one that shares the lock with others that share it.
	RLock() error
	// TryLock is Lock that reports false rather than wait.
	TryLock() (bool, error)
	// TryRLock is RLock that reports false rather than wait.
	TryRLock() (bool, error)
	// Unlock lets go of the lock. That the File does not hold it is no error.
	Unlock() error
}

func (f *simFile) Lock() error             { return f.lock(simdisk.Exclusive) }
func (f *simFile) RLock() error            { return f.lock(simdisk.Shared) }
func (f *simFile) TryLock() (bool, error)  { return f.tryLock(simdisk.Exclusive) }
func (f *simFile) TryRLock() (bool, error) { return f.tryLock(simdisk.Shared) }

func (f *simFile) Unlock() error { return f.fs.do("unlock", f.name, free, f.f.Unlock) }

func (f *simFile) tryLock(mode simdisk.LockMode) (granted bool, err error) {
	err = f.fs.do("lock", f.name, free, func() (err error) {
		granted, err = f.f.TryLock(mode)
		return err
	})
	return granted, err
}

// lock is a call that may last. The process that waits for it may be paused when it is granted.
func (f *simFile) lock(mode simdisk.LockMode) error {
	err := f.fs.call("lock", f.name, func(c *driver.Call) {
		giveUp := f.f.Lock(mode, func(err error) {
			f.fs.whenUp(func() { c.Finish(err) })
		})
		c.OnAbort(giveUp)
	})
	if errors.Is(err, driver.ErrWouldBlock) {
		return wrap("lock", f.name, err)
	}
	return err
}

func (f *osFile) Lock() error {
	_, err := f.flock("lock", exclusive)
	return err
}

func (f *osFile) RLock() error {
	_, err := f.flock("lock", shared)
	return err
}

func (f *osFile) TryLock() (bool, error)  { return f.flock("lock", exclusive|noWait) }
func (f *osFile) TryRLock() (bool, error) { return f.flock("lock", shared|noWait) }

func (f *osFile) Unlock() error {
	_, err := f.flock("unlock", unlock)
	return err
}

// flock applies a flock operation to the file and reports whether it was granted.
func (f *osFile) flock(op string, how int) (granted bool, err error) {
	raw, err := f.f.SyscallConn()
	if err != nil {
		return false, wrap(op, f.name, err)
	}
	var failed error
	// The descriptor stays valid while it is in use here, also if the file is closed meanwhile.
	if err := raw.Control(func(fd uintptr) { granted, failed = flock(fd, how) }); err != nil {
		if _, closed := f.f.Stat(); closed != nil {
			err = closed // unlike Control, it gives fs.ErrClosed
		}
		return false, wrap(op, f.name, err)
	}
	return granted, wrap(op, f.name, failed)
}
