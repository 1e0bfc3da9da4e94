// SPDX-License-Identifier: MPL-2.0

package fsx

import (
	"bytes"
	"cmp"
	"errors"
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

// do runs fn with the name as os.Root takes it, and names what the caller knows in
// its error.
func (o *osFS) do(op, name string, fn func(rel string) error) error {
	if name == "" {
		return wrap(op, name, syscall.ENOENT)
	}
	return wrap(op, name, fn(local(name)))
}

func local(name string) string {
	return filepath.FromSlash(cmp.Or(path.Clean("/" + name)[1:], "."))
}

func (o *osFS) Open(name string) (File, error) {
	return o.OpenFile(name, os.O_RDONLY, 0)
}

func (o *osFS) Create(name string) (File, error) {
	return o.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

func (o *osFS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f := &osFile{name: name, append: flag&os.O_APPEND != 0}
	err := o.do("open", name, func(rel string) (err error) {
		f.f, err = o.root.OpenFile(rel, flag, perm)
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (o *osFS) Mkdir(name string, perm fs.FileMode) error {
	return o.do("mkdir", name, func(rel string) error { return o.root.Mkdir(rel, perm) })
}

func (o *osFS) MkdirAll(name string, perm fs.FileMode) error {
	return o.do("mkdir", name, func(rel string) error {
		err := o.root.MkdirAll(rel, perm)
		if errors.Is(err, syscall.EEXIST) {
			return syscall.ENOTDIR // as os.MkdirAll has it
		}
		return err
	})
}

func (o *osFS) MkdirTemp(dir, pattern string) (string, error) {
	return mkdirTemp(dir, pattern, rand.Uint64, func(name string) error { return o.Mkdir(name, 0o700) })
}

func (o *osFS) ReadFile(name string) ([]byte, error) {
	f, err := o.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	buf := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	_, err = buf.ReadFrom(f)
	return buf.Bytes(), err
}

func (o *osFS) WriteFile(name string, data []byte, perm fs.FileMode) error {
	f, err := o.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return cmp.Or(err, f.Close())
}

func (o *osFS) ReadDir(name string) (entries []fs.DirEntry, err error) {
	err = o.do("readdir", name, func(rel string) (err error) {
		entries, err = fs.ReadDir(o.root.FS(), filepath.ToSlash(rel))
		return err
	})
	return entries, err
}

func (o *osFS) Stat(name string) (info fs.FileInfo, err error) {
	err = o.do("stat", name, func(rel string) (err error) {
		info, err = o.root.Stat(rel)
		return err
	})
	return info, err
}

func (o *osFS) Lstat(name string) (info fs.FileInfo, err error) {
	err = o.do("lstat", name, func(rel string) (err error) {
		info, err = o.root.Lstat(rel)
		return err
	})
	return info, err
}

func (o *osFS) Rename(oldname, newname string) error {
	err := error(syscall.ENOENT)
	if oldname != "" && newname != "" {
		err = o.root.Rename(local(oldname), local(newname))
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: oldname, New: newname, Err: reason(err)}
	}
	return nil
}

func (o *osFS) Remove(name string) error {
	return o.do("remove", name, o.root.Remove)
}

func (o *osFS) RemoveAll(name string) error {
	if name == "" {
		return nil // as os.RemoveAll has it
	}
	return o.do("removeall", name, o.root.RemoveAll)
}

func (o *osFS) Truncate(name string, size int64) error {
	return o.do("truncate", name, func(rel string) error {
		f, err := o.root.OpenFile(rel, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return cmp.Or(f.Truncate(size), f.Close())
	})
}

func (o *osFS) SyncDir(name string) error {
	return o.do("syncdir", name, func(rel string) error {
		f, err := o.root.Open(rel)
		if err != nil {
			return err
		}
		return cmp.Or(syncDir(f), f.Close())
	})
}

func syncDir(f *os.File) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return syscall.ENOTDIR
	}
	return f.Sync()
}

// wrap returns err, if there is one, with the operation and the file as the caller
// knows them.
func wrap(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: reason(err)}
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
