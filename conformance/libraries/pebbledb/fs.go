// SPDX-License-Identifier: MPL-2.0

// Package pebbledb runs cockroachdb/pebble on a simulated disk. It owns the adapter between the two; what pebble must hold is in its
// test.
package pebbledb

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hmdsefi/faultline/shims/fsx"
)

// FS returns fsys as pebble wants its files. Preallocation, readahead and disk usage are not simulated. There are no links, which pebble
// makes only for checkpoints and ingestion, and replaces by copies.
//
// A call of a process that has crashed does not return. Pebble panics when its log cannot be written, and nothing of a process that has
// crashed does that.
func FS(fsys fsx.FS) vfs.FS { return &adapter{fsys} }

// alive returns err unless it says that the process is over.
func alive(err error) error {
	if errors.Is(err, syscall.ESTALE) {
		select {}
	}
	return err
}

type adapter struct{ fs fsx.FS }

func open(f fsx.File, err error, opts ...vfs.OpenOption) (vfs.File, error) {
	if err := alive(err); err != nil {
		return nil, err
	}
	opened := file{f}
	for _, o := range opts {
		o.Apply(opened)
	}
	return opened, nil
}

// Create makes a new file, so that whoever has the old one open keeps it.
func (a *adapter) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	if err := a.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := a.fs.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	return open(f, err)
}

func (a *adapter) Link(oldname, newname string) error {
	return &os.LinkError{Op: "link", Old: oldname, New: newname, Err: syscall.ENOTSUP}
}

func (a *adapter) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := a.fs.Open(name)
	return open(f, err, opts...)
}

func (a *adapter) OpenReadWrite(name string, _ vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := a.fs.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	return open(f, err, opts...)
}

func (a *adapter) OpenDir(name string) (vfs.File, error) { return a.Open(name) }

func (a *adapter) Remove(name string) error    { return alive(a.fs.Remove(name)) }
func (a *adapter) RemoveAll(name string) error { return alive(a.fs.RemoveAll(name)) }

func (a *adapter) Rename(oldname, newname string) error { return alive(a.fs.Rename(oldname, newname)) }

func (a *adapter) MkdirAll(name string, perm fs.FileMode) error {
	return alive(a.fs.MkdirAll(name, perm))
}

// ReuseForWrite keeps the content: pebble's log knows where the new part ends.
func (a *adapter) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if err := a.Rename(oldname, newname); err != nil {
		return nil, err
	}
	return a.OpenReadWrite(newname, category)
}

// Lock fails at once if another has the lock. Closing the result lets go of it.
func (a *adapter) Lock(name string) (io.Closer, error) {
	f, err := a.fs.Create(name)
	if err := alive(err); err != nil {
		return nil, err
	}
	locked, err := f.TryLock()
	if err == nil && !locked {
		err = &fs.PathError{Op: "lock", Path: name, Err: syscall.EAGAIN}
	}
	if err := alive(err); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return file{f}, nil
}

func (a *adapter) List(dir string) ([]string, error) {
	entries, err := a.fs.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, alive(err)
}

func (a *adapter) Stat(name string) (vfs.FileInfo, error) { return stat(a.fs.Stat(name)) }

func (a *adapter) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{}, vfs.ErrUnsupported
}

func (a *adapter) PathBase(name string) string    { return path.Base(name) }
func (a *adapter) PathJoin(elem ...string) string { return path.Join(elem...) }
func (a *adapter) PathDir(name string) string     { return path.Dir(name) }
func (a *adapter) Unwrap() vfs.FS                 { return nil }

// file is an open file or directory.
type file struct{ f fsx.File }

func (f file) Read(b []byte) (int, error) { return counted(f.f.Read(b)) }

func (f file) ReadAt(b []byte, off int64) (int, error) { return counted(f.f.ReadAt(b, off)) }

func (f file) Write(b []byte) (int, error) { return counted(f.f.Write(b)) }

func (f file) WriteAt(b []byte, off int64) (int, error) { return counted(f.f.WriteAt(b, off)) }

func (f file) Close() error    { return alive(f.f.Close()) }
func (f file) Sync() error     { return alive(f.f.Sync()) }
func (f file) SyncData() error { return f.Sync() }

// SyncTo promises nothing, as where the system can write back a part of a file.
func (f file) SyncTo(int64) (fullSync bool, err error) { return false, nil }

func (f file) Stat() (vfs.FileInfo, error)  { return stat(f.f.Stat()) }
func (f file) Preallocate(_, _ int64) error { return nil }
func (f file) Prefetch(_, _ int64) error    { return nil }
func (f file) Fd() uintptr                  { return vfs.InvalidFd }
func counted(n int, err error) (int, error) { return n, alive(err) }

func stat(info fs.FileInfo, err error) (vfs.FileInfo, error) {
	if err := alive(err); err != nil {
		return nil, err
	}
	return fileInfo{info}, nil
}

// fileInfo has one device for all files: the zero one.
type fileInfo struct{ fs.FileInfo }

func (fileInfo) DeviceID() vfs.DeviceID { return vfs.DeviceID{} }
