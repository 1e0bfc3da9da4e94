// SPDX-License-Identifier: MPL-2.0

package fsx

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// OS returns the real file system below dir, which must exist. Nothing in it leads
// out of dir, symbolic links included (see [os.Root]).
func OS(dir string) (FS, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &osFS{root}, nil
}

type osFS struct{ root *os.Root }

// local returns the name as os.Root takes it.
func local(name string) string {
	if name == "" {
		return ""
	}
	if rel := path.Clean("/" + name)[1:]; rel != "" {
		return filepath.FromSlash(rel)
	}
	return "."
}

func (o *osFS) Open(name string) (File, error) {
	return o.OpenFile(name, os.O_RDONLY, 0)
}

func (o *osFS) Create(name string) (File, error) {
	return o.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

func (o *osFS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := o.root.OpenFile(local(name), flag, perm)
	if err != nil {
		return nil, named(name, err)
	}
	return &osFile{f, name}, nil
}

func (o *osFS) Mkdir(name string, perm fs.FileMode) error {
	return named(name, o.root.Mkdir(local(name), perm))
}

func (o *osFS) MkdirAll(name string, perm fs.FileMode) error {
	return named(name, o.root.MkdirAll(local(name), perm))
}

func (o *osFS) MkdirTemp(dir, pattern string) (string, error) {
	return mkdirTemp(dir, pattern, rand.Uint64, func(name string) error { return o.Mkdir(name, 0o700) })
}

func (o *osFS) ReadFile(name string) ([]byte, error) {
	data, err := o.root.ReadFile(local(name))
	return data, named(name, err)
}

func (o *osFS) WriteFile(name string, data []byte, perm fs.FileMode) error {
	return named(name, o.root.WriteFile(local(name), data, perm))
}

func (o *osFS) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.root.FS(), filepath.ToSlash(local(name)))
	return entries, named(name, err)
}

func (o *osFS) Stat(name string) (fs.FileInfo, error) {
	info, err := o.root.Stat(local(name))
	return info, named(name, err)
}

func (o *osFS) Lstat(name string) (fs.FileInfo, error) {
	info, err := o.root.Lstat(local(name))
	return info, named(name, err)
}

func (o *osFS) Rename(oldname, newname string) error {
	if err := o.root.Rename(local(oldname), local(newname)); err != nil {
		return &os.LinkError{Op: "rename", Old: oldname, New: newname, Err: reason(err)}
	}
	return nil
}

func (o *osFS) Remove(name string) error {
	return named(name, o.root.Remove(local(name)))
}

func (o *osFS) RemoveAll(name string) error {
	return named(name, o.root.RemoveAll(local(name)))
}

func (o *osFS) Truncate(name string, size int64) error {
	f, err := o.root.OpenFile(local(name), os.O_WRONLY, 0)
	if err != nil {
		return &fs.PathError{Op: "truncate", Path: name, Err: reason(err)}
	}
	defer f.Close()
	return named(name, f.Truncate(size))
}

func (o *osFS) SyncDir(name string) error {
	err := o.syncDir(local(name))
	if err != nil {
		return &fs.PathError{Op: "syncdir", Path: name, Err: reason(err)}
	}
	return nil
}

func (o *osFS) syncDir(name string) error {
	f, err := o.root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.IsDir() {
		return errors.Join(err, syscall.ENOTDIR)
	}
	return f.Sync()
}

// osFile is an *os.File under the name that the caller gave.
type osFile struct {
	f    *os.File
	name string
}

func (f *osFile) Name() string { return f.name }

func (f *osFile) Read(p []byte) (int, error) {
	n, err := f.f.Read(p)
	return n, named(f.name, err)
}

func (f *osFile) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: syscall.EINVAL}
	}
	n, err := f.f.ReadAt(p, off)
	return n, named(f.name, err)
}

func (f *osFile) ReadFrom(r io.Reader) (int64, error) {
	n, err := f.f.ReadFrom(r)
	return n, named(f.name, err)
}

func (f *osFile) Write(p []byte) (int, error) {
	n, err := f.f.Write(p)
	return n, named(f.name, err)
}

func (f *osFile) WriteString(s string) (int, error) {
	n, err := f.f.WriteString(s)
	return n, named(f.name, err)
}

func (f *osFile) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, &fs.PathError{Op: "write", Path: f.name, Err: syscall.EINVAL}
	}
	n, err := f.f.WriteAt(p, off)
	return n, named(f.name, err)
}

func (f *osFile) Seek(offset int64, whence int) (int64, error) {
	n, err := f.f.Seek(offset, whence)
	return n, named(f.name, err)
}

func (f *osFile) Stat() (fs.FileInfo, error) {
	info, err := f.f.Stat()
	return info, named(f.name, err)
}

func (f *osFile) ReadDir(n int) ([]fs.DirEntry, error) {
	entries, err := f.f.ReadDir(n)
	return entries, named(f.name, err)
}

func (f *osFile) Truncate(size int64) error { return named(f.name, f.f.Truncate(size)) }
func (f *osFile) Sync() error               { return named(f.name, f.f.Sync()) }
func (f *osFile) Close() error              { return named(f.name, f.f.Close()) }

// plainOps are the operations that os.Root and *os.File name after their system
// calls.
var plainOps = map[string]string{
	"openat":     "open",
	"mkdirat":    "mkdir",
	"statat":     "stat",
	"lstatat":    "lstat",
	"removeat":   "remove",
	"unlinkat":   "removeall",
	"RemoveAll":  "removeall",
	"readdirent": "readdir",
	"fdopendir":  "readdir",
}

// named puts the name that the caller used into a *fs.PathError. Other errors, such
// as io.EOF, it returns as they are.
func named(name string, err error) error {
	var pe *fs.PathError
	if !errors.As(err, &pe) {
		return err
	}
	op := pe.Op
	if plain, ok := plainOps[op]; ok {
		op = plain
	}
	return &fs.PathError{Op: op, Path: name, Err: reason(pe)}
}

// reason returns what stands behind the errors that name an operation.
func reason(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	var se *os.SyscallError
	switch {
	case errors.As(err, &pe):
		return reason(pe.Err)
	case errors.As(err, &le):
		return reason(le.Err)
	case errors.As(err, &se):
		return reason(se.Err)
	}
	return err
}
