// SPDX-License-Identifier: MPL-2.0

package fsx

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

	"github.com/hmdsefi/faultline/sim/simdisk"
)

// errAppend is the reason of os for the same refusal.
var errAppend = errors.New("invalid use of WriteAt on file opened with O_APPEND")

// simFile is an open file of a simulated volume. Its offset and the rest of its
// state belong to the simulator's goroutine.
type simFile struct {
	fs     *simFS
	f      *simdisk.File
	name   string
	append bool
	sync   simdisk.Op // what a sync of it is

	off     int64
	entries []fs.DirEntry // of a directory: what ReadDir has not returned yet
	listed  bool
}

func (f *simFile) Name() string { return f.name }

func (f *simFile) Read(p []byte) (n int, err error) {
	err = f.fs.do("read", f.name, simdisk.OpRead, func() (err error) {
		n, err = f.f.ReadAt(p, f.off)
		f.off += int64(n)
		if n > 0 && err == io.EOF {
			return nil
		}
		return err
	})
	return n, err
}

func (f *simFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.fs.do("read", f.name, simdisk.OpRead, func() (err error) {
		n, err = f.f.ReadAt(p, off)
		return err
	})
	return n, err
}

func (f *simFile) Write(p []byte) (n int, err error) {
	err = f.fs.do("write", f.name, simdisk.OpWrite, func() (err error) {
		if f.append {
			n, err = f.f.Append(p)
			f.off, _ = f.f.Size()
		} else {
			n, err = f.f.WriteAt(p, f.off)
			f.off += int64(n)
		}
		return err
	})
	return n, err
}

func (f *simFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

func (f *simFile) WriteAt(p []byte, off int64) (n int, err error) {
	if f.append {
		return 0, errAppend
	}
	err = f.fs.do("write", f.name, simdisk.OpWrite, func() (err error) {
		n, err = f.f.WriteAt(p, off)
		return err
	})
	return n, err
}

// ReadFrom copies outside the simulator's goroutine, since r may block.
func (f *simFile) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{f}, r)
}

func (f *simFile) Seek(offset int64, whence int) (at int64, err error) {
	err = f.fs.do("seek", f.name, free, func() (err error) {
		at, err = f.seek(offset, whence)
		return err
	})
	return at, err
}

func (f *simFile) seek(offset int64, whence int) (int64, error) {
	size, err := f.f.Size()
	if err != nil {
		return 0, err
	}
	from := map[int]int64{io.SeekStart: 0, io.SeekCurrent: f.off, io.SeekEnd: size}
	base, ok := from[whence]
	if !ok || base+offset < 0 {
		return 0, &fs.PathError{Op: "seek", Path: f.name, Err: syscall.EINVAL}
	}
	f.off = base + offset
	f.entries, f.listed = nil, false
	return f.off, nil
}

func (f *simFile) Stat() (info fs.FileInfo, err error) {
	err = f.fs.do("stat", f.name, simdisk.OpMeta, func() (err error) {
		info, err = f.f.Stat()
		return err
	})
	return info, err
}

func (f *simFile) ReadDir(n int) (entries []fs.DirEntry, err error) {
	err = f.fs.do("readdir", f.name, simdisk.OpMeta, func() (err error) {
		entries, err = f.readDir(n)
		return err
	})
	return entries, err
}

// readDir lists the directory as it was at the first call.
func (f *simFile) readDir(n int) ([]fs.DirEntry, error) {
	all, err := f.f.ReadDir()
	if err != nil {
		return nil, err
	}
	if !f.listed {
		f.entries, f.listed = all, true
	}
	if n <= 0 {
		n = len(f.entries)
	} else if len(f.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(f.entries))
	next := f.entries[:n:n]
	f.entries = f.entries[n:]
	return next, nil
}

func (f *simFile) Truncate(size int64) error {
	return f.fs.do("truncate", f.name, simdisk.OpWrite, func() error { return f.f.Truncate(size) })
}

func (f *simFile) Sync() error {
	return f.fs.do("sync", f.name, f.sync, f.f.Sync)
}

func (f *simFile) Close() error {
	return f.fs.do("close", f.name, free, f.f.Close)
}
