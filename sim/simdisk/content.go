// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"io"
	"math"
	"os"
)

// The operations on a file's content, which handles and whole-file calls share.

// read copies what stands at off, like io.ReaderAt.
func (v *Volume) read(ino *inode, path string, p []byte, off int64) (int, error) {
	switch {
	case ino.isDir():
		return 0, ErrIsDir
	case !sensible(p, off):
		return 0, ErrInvalid
	case off >= ino.live.size() && len(p) > 0:
		return 0, io.EOF
	case len(p) == 0:
		return 0, nil
	}
	n := copy(p, ino.live.data[off:])
	v.misread(ino, path, p[:n], off)
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// sensible reports whether p at off begins and ends where an offset can point to.
func sensible(p []byte, off int64) bool { return off >= 0 && off <= math.MaxInt64-int64(len(p)) }

// write puts a copy of p at off. On a full volume it writes what there is room for.
func (v *Volume) write(ino *inode, path string, p []byte, off int64) (n int, err error) {
	switch {
	case !sensible(p, off):
		return 0, ErrInvalid
	case int64(len(p)) > v.config.MaxFile-off:
		return 0, ErrTooLarge
	}
	if room := v.room(ino); off+int64(len(p)) > room {
		p, err = p[:max(0, room-off)], ErrNoSpace
	}
	if len(p) > 0 {
		data := append([]byte(nil), p...)
		if !v.miswrite(ino, path, off, data) {
			v.change(ino, change{at: v.sim.Now(), off: off, data: data})
			v.emitWrite(path, off, data)
		}
	}
	return len(p), err
}

// truncate sets the size of a file. Growth is zeros, and counts against the
// capacity.
func (v *Volume) truncate(ino *inode, path string, size int64) error {
	switch {
	case ino.isDir():
		return ErrIsDir
	case size < 0:
		return ErrInvalid
	case size > v.config.MaxFile:
		return ErrTooLarge
	case size > v.room(ino):
		return ErrNoSpace
	case size == ino.live.size():
		return nil
	}
	v.change(ino, change{at: v.sim.Now(), truncate: true, off: size})
	v.emitTruncate(path, size)
	return nil
}

// room returns the size up to which the file may grow or be rewritten.
func (v *Volume) room(ino *inode) int64 {
	if v.capacity <= 0 {
		return v.config.MaxFile
	}
	return ino.live.size() + max(0, v.capacity-v.used)
}

func (v *Volume) change(ino *inode, c change) {
	before := ino.live.size()
	ino.live.apply(c)
	ino.unsynced = append(ino.unsynced, c)
	v.used += ino.live.size() - before
}

// sync makes a file's content durable, unless a failure is due.
func (v *Volume) sync(ino *inode, path string) error {
	if v.syncFails() {
		if v.config.FailedSync == FailedSyncDrop {
			ino.dropped += len(ino.unsynced)
			ino.unsynced = nil
		}
		v.emitResult(kindSync, path, "failed")
		return ErrIO
	}
	ino.sync()
	v.emitResult(kindSync, path, "ok")
	return nil
}

// ReadFile returns the content of a file.
func (v *Volume) ReadFile(name string) ([]byte, error) {
	ino, err := v.existing(name)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	if ino.isDir() {
		return nil, pathError("read", name, ErrIsDir)
	}
	data := append([]byte{}, ino.live.data...)
	v.misread(ino, rooted(name), data, 0)
	return data, nil
}

// WriteFile writes a file, made or emptied before. It syncs nothing.
func (v *Volume) WriteFile(name string, data []byte, perm os.FileMode) error {
	f, err := v.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	f.Close()
	return err
}

// Truncate sets the size of a file.
func (v *Volume) Truncate(name string, size int64) error {
	at, err := v.find(name)
	if err == nil && at.ino == nil {
		err = ErrNotExist
	}
	if err == nil {
		err = v.truncate(at.ino, at.path, size)
	}
	return pathError("truncate", name, err)
}
