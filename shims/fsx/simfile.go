// SPDX-License-Identifier: MPL-2.0

package fsx

import (
	"io"
	"io/fs"
	"syscall"

	"github.com/hmdsefi/faultline/sim/simdisk"
)

// simFile is an open file of a simulated volume. Its offset and the rest of its
// state belong to the simulator's goroutine.
type simFile struct {
	fs     *simFS
	f      *simdisk.File
	handle uint64 // among those of fs
	name   string
	append bool
	write  simdisk.Op // what a write to it costs
	sync   simdisk.Op // what a sync of it costs

	off     int64
	entries []fs.DirEntry // of a directory: what ReadDir has not returned yet
	listed  bool
}

func (f *simFile) Name() string { return f.name }

func (f *simFile) Read(p []byte) (n int, err error) {
	err = f.fs.do("read", f.name, simdisk.OpRead, func() (err error) {
		if len(p) == 0 { // succeeds on every open file, as with *os.File
			_, err = f.f.Size()
			return wrap("read", f.name, err)
		}
		n, err = f.f.ReadAt(p, f.off)
		f.off += int64(n)
		if n > 0 && err == io.EOF {
			return nil
		}
		return err
	})
	return n, err
}

// ReadAt and WriteAt of no bytes succeed whatever the file is, as with *os.File.
func (f *simFile) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, wrap("read", f.name, syscall.EINVAL)
	}
	if len(p) == 0 {
		return 0, nil
	}
	err = f.fs.do("read", f.name, simdisk.OpRead, func() (err error) {
		n, err = f.f.ReadAt(p, off)
		return err
	})
	return n, err
}

func (f *simFile) Write(p []byte) (n int, err error) {
	err = f.fs.do("write", f.name, f.write, func() (err error) {
		at := f.off
		if f.append {
			if at, err = f.f.Size(); err != nil {
				return wrap("write", f.name, err)
			}
		}
		n, err = f.f.WriteAt(p, at)
		if n > 0 {
			f.off = at + int64(n)
		}
		return err
	})
	return n, err
}

func (f *simFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

func (f *simFile) WriteAt(p []byte, off int64) (n int, err error) {
	if off < 0 || f.append {
		return 0, wrap("write", f.name, syscall.EINVAL)
	}
	if len(p) == 0 {
		return 0, nil
	}
	err = f.fs.do("write", f.name, f.write, func() (err error) {
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
		return wrap("seek", f.name, err)
	})
	return at, err
}

func (f *simFile) seek(offset int64, whence int) (int64, error) {
	if whence < io.SeekStart || whence > io.SeekEnd {
		return 0, syscall.EINVAL
	}
	size, err := f.f.Size()
	if err != nil {
		return 0, err
	}
	to := offset + [...]int64{io.SeekStart: 0, io.SeekCurrent: f.off, io.SeekEnd: size}[whence]
	if to < 0 {
		return 0, syscall.EINVAL
	}
	f.off, f.entries, f.listed = to, nil, false
	return to, nil
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
	return f.fs.do("close", f.name, free, func() error {
		delete(f.fs.handles, f.handle)
		return f.f.Close()
	})
}
