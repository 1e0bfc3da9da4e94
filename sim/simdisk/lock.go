// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"slices"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// LockMode says who may hold the lock of a file at the same time.
type LockMode string

const (
	Shared    LockMode = "shared"    // others that share it too
	Exclusive LockMode = "exclusive" // nobody else
)

const (
	kindLock   kernel.Kind = "disk.lock"
	kindUnlock kernel.Kind = "disk.unlock"
)

// fileLock is the advisory lock of an inode, as of flock(2): it belongs to open files, and nothing but other locks heeds it.
type fileLock struct {
	mode    LockMode
	holders []*File
	waiting []*lockRequest
}

type lockRequest struct {
	file *File
	mode LockMode
	done func(error)
}

// Lock takes the file's advisory lock and then calls done with nil: at once, or when
// those who hold it in a way that does not go with mode have let go. A file that holds
// the lock in the other mode lets go of it first, whatever comes of the request. done
// gets an error, at once, if the handle cannot be used, and ErrClosed if it is closed
// while it waits; a crash of the node drops the request. giveUp takes back a request
// that waits.
func (f *File) Lock(mode LockMode, done func(error)) (giveUp func()) {
	switch granted, err := f.TryLock(mode); {
	case err != nil, granted:
		done(err)
		return func() {}
	}
	l := f.vol.locks[f.ino]
	r := &lockRequest{f, mode, done}
	l.waiting = append(l.waiting, r)
	return func() { l.drop(r) }
}

// TryLock is Lock that reports false rather than wait.
func (f *File) TryLock(mode LockMode) (bool, error) {
	if err := f.check("lock", -1); err != nil {
		return false, err
	}
	l := f.vol.lockOf(f.ino)
	if l.holds(f, mode) {
		return true, nil
	}
	l.remove(f)
	granted := l.fits(f, mode)
	if granted {
		l.grant(f, mode)
	}
	l.serve() // a file that has changed its mode may make way for others
	return granted, nil
}

// Unlock lets go of the lock. That the file does not hold it is no error. Closing the
// file lets go of it too.
func (f *File) Unlock() error {
	if err := f.check("unlock", -1); err != nil {
		return err
	}
	f.letGo()
	return nil
}

// letGo ends what the file has to do with the lock of its inode.
func (f *File) letGo() {
	l := f.vol.locks[f.ino]
	if l == nil {
		return
	}
	if slices.Contains(l.holders, f) {
		f.vol.emitLock(kindUnlock, f.path, l.mode)
		l.remove(f)
		l.serve()
	}
	if len(l.holders) == 0 && len(l.waiting) == 0 {
		delete(f.vol.locks, f.ino)
	}
}

// abandon fails the requests of a file that is closed.
func (f *File) abandon() {
	l := f.vol.locks[f.ino]
	if l == nil {
		return
	}
	for _, r := range slices.Clone(l.waiting) {
		if r.file == f {
			l.drop(r)
			r.done(f.wrap("lock", ErrClosed))
		}
	}
}

func (v *Volume) lockOf(ino *inode) *fileLock {
	l := v.locks[ino]
	if l == nil {
		l = &fileLock{}
		v.locks[ino] = l
	}
	return l
}

func (l *fileLock) holds(f *File, mode LockMode) bool {
	return l.mode == mode && slices.Contains(l.holders, f)
}

// fits reports whether no other file keeps f from the lock.
func (l *fileLock) fits(f *File, mode LockMode) bool {
	return mode == Shared && l.mode == Shared || !slices.ContainsFunc(l.holders, func(g *File) bool { return g != f })
}

func (l *fileLock) grant(f *File, mode LockMode) {
	l.mode = mode
	l.holders = append(l.holders, f)
	f.vol.emitLock(kindLock, f.path, mode)
}

func (l *fileLock) remove(f *File) {
	l.holders = slices.DeleteFunc(l.holders, func(g *File) bool { return g == f })
}

func (l *fileLock) drop(r *lockRequest) {
	l.waiting = slices.DeleteFunc(l.waiting, func(q *lockRequest) bool { return q == r })
}

// serve grants what can be granted now, in the order of the requests. A request for the lock alone does not keep back those who
// share it, as it does not on Linux.
func (l *fileLock) serve() {
	for {
		i := slices.IndexFunc(l.waiting, func(r *lockRequest) bool { return l.fits(r.file, r.mode) })
		if i < 0 {
			return
		}
		r := l.waiting[i]
		l.waiting = slices.Delete(l.waiting, i, i+1)
		if !l.holds(r.file, r.mode) { // by another request of the same file
			l.remove(r.file)
			l.grant(r.file, r.mode)
		}
		r.done(nil)
	}
}

func (v *Volume) emitLock(kind kernel.Kind, path string, mode LockMode) {
	v.sim.Emit(v.node, kind, path+" "+string(mode), kernel.Attr{Key: "path", Value: path}, kernel.Attr{Key: "mode", Value: string(mode)})
}
