// SPDX-License-Identifier: MPL-2.0

package fsx

import (
	"io"
	"io/fs"
)

// IOFS returns a read-only view of fsys as package io/fs wants it. Its files can
// also seek and read at an offset.
func IOFS(fsys FS) fs.FS { return ioFS{fsys} }

type ioFS struct{ fsys FS }

var (
	_ fs.ReadDirFS  = ioFS{}
	_ fs.ReadFileFS = ioFS{}
	_ fs.StatFS     = ioFS{}
)

// valid refuses the names that io/fs does not allow, though an FS does.
func valid(op, name string) error {
	if fs.ValidPath(name) {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
}

func (i ioFS) Open(name string) (fs.File, error) {
	if err := valid("open", name); err != nil {
		return nil, err
	}
	f, err := i.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	return readOnly{f}, nil
}

func (i ioFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := valid("readdir", name); err != nil {
		return nil, err
	}
	return i.fsys.ReadDir(name)
}

func (i ioFS) ReadFile(name string) ([]byte, error) {
	if err := valid("open", name); err != nil {
		return nil, err
	}
	return i.fsys.ReadFile(name)
}

func (i ioFS) Stat(name string) (fs.FileInfo, error) {
	if err := valid("stat", name); err != nil {
		return nil, err
	}
	return i.fsys.Stat(name)
}

// reader is what can be read of a File.
type reader interface {
	fs.ReadDirFile
	io.ReaderAt
	io.Seeker
}

// readOnly hides the methods of a File that write.
type readOnly struct{ reader }
