// SPDX-License-Identifier: MPL-2.0

package fsx

import (
	"io"
	"io/fs"
	"os"
	"syscall"
)

// osFile is an *os.File under the name that the caller gave.
type osFile struct {
	f      *os.File
	name   string
	append bool
}

func (f *osFile) Name() string { return f.name }

func (f *osFile) Read(p []byte) (int, error) {
	n, err := f.f.Read(p)
	return n, f.named(err)
}

func (f *osFile) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, wrap("read", f.name, syscall.EINVAL)
	}
	n, err := f.f.ReadAt(p, off)
	return n, f.named(err)
}

func (f *osFile) ReadFrom(r io.Reader) (int64, error) {
	n, err := f.f.ReadFrom(r)
	return n, f.named(err)
}

func (f *osFile) Write(p []byte) (int, error) {
	n, err := f.f.Write(p)
	return n, f.named(err)
}

func (f *osFile) WriteString(s string) (int, error) {
	n, err := f.f.WriteString(s)
	return n, f.named(err)
}

func (f *osFile) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 || f.append {
		return 0, wrap("write", f.name, syscall.EINVAL)
	}
	n, err := f.f.WriteAt(p, off)
	return n, f.named(err)
}

func (f *osFile) Seek(offset int64, whence int) (int64, error) {
	if whence < io.SeekStart || whence > io.SeekEnd { // some systems know more
		return 0, wrap("seek", f.name, syscall.EINVAL)
	}
	n, err := f.f.Seek(offset, whence)
	return n, f.named(err)
}

func (f *osFile) Stat() (fs.FileInfo, error) {
	info, err := f.f.Stat()
	return info, f.named(err)
}

func (f *osFile) ReadDir(n int) ([]fs.DirEntry, error) {
	entries, err := f.f.ReadDir(n)
	if err == nil || err == io.EOF {
		return entries, err
	}
	if _, closed := f.f.Stat(); closed != nil {
		err = closed // unlike ReadDir, it gives fs.ErrClosed
	}
	return entries, wrap("readdir", f.name, err)
}

func (f *osFile) Truncate(size int64) error { return f.named(f.f.Truncate(size)) }
func (f *osFile) Sync() error               { return f.named(f.f.Sync()) }
func (f *osFile) Close() error              { return f.named(f.f.Close()) }

// named puts the name that the caller gave into a *fs.PathError. Other errors, such
// as io.EOF, it returns as they are.
func (f *osFile) named(err error) error {
	if pe, ok := err.(*fs.PathError); ok {
		return wrap(pe.Op, f.name, pe)
	}
	return err
}
