// SPDX-License-Identifier: MPL-2.0

// Package fsx is a file system as a value: the interface through which a program
// reads and writes its files, so that a simulation can stand behind it.
//
// [OS] is the real disk, below one directory. [Sim] is the simulated volume of a
// node: its operations take virtual time, and a crash loses what was not synced.
// Both give the same results and the same error reasons.
//
// Names are slash-separated and relative to the root of the file system, with or
// without a leading slash: "wal" and "/wal" are one file. They are cleaned before
// use, and ".." ends at the root, as after chroot.
//
// The package knows the simulated disk and the border to the simulator's goroutine,
// and nothing of networks, faults or tests.
package fsx

import (
	"io"
	"io/fs"
)

// FS is a file system. The methods are those of package os under the same names,
// with the same flags, defaults and results; SyncDir is added. An error is a
// *fs.PathError, from Rename a *os.LinkError, with the names as they were given. All
// methods may be called from any goroutine.
type FS interface {
	// Open opens a file or directory for reading.
	Open(name string) (File, error)
	// Create opens a file for reading and writing, made or emptied.
	Create(name string) (File, error)
	// OpenFile opens with the flags of package os. An existing file keeps its
	// permissions.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)

	// Mkdir makes a directory. Its parent must exist.
	Mkdir(name string, perm fs.FileMode) error
	// MkdirAll makes a directory and the parents that it lacks. That it exists is no
	// error.
	MkdirAll(name string, perm fs.FileMode) error
	// MkdirTemp makes a directory of a new name in dir and returns its path. The
	// random part of the name stands for the last "*" in pattern, or at its end. An
	// empty dir is the root, not the temporary directory of the system.
	MkdirTemp(dir, pattern string) (string, error)

	// ReadFile returns the content of a file.
	ReadFile(name string) ([]byte, error)
	// WriteFile writes a file, made or emptied before. It syncs nothing.
	WriteFile(name string, data []byte, perm fs.FileMode) error

	// ReadDir lists a directory, sorted by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// Stat describes a file or directory.
	Stat(name string) (fs.FileInfo, error)
	// Lstat is Stat that does not follow a symbolic link.
	Lstat(name string) (fs.FileInfo, error)

	// Rename moves a file or directory. An existing file at newname is replaced, an
	// existing directory is an error.
	Rename(oldname, newname string) error
	// Remove removes a file or an empty directory.
	Remove(name string) error
	// RemoveAll removes a file, or a directory with what is in it. That there is
	// nothing of that name is no error.
	RemoveAll(name string) error
	// Truncate sets the size of a file.
	Truncate(name string, size int64) error

	// SyncDir makes the entries of a directory durable: without it, a file that was
	// created, renamed or removed may not have been after a power failure, even if
	// its content was synced.
	SyncDir(name string) error
}

// File is an open file or directory, with the methods of *os.File under the same
// names, and a lock. They may be called from any goroutine.
type File interface {
	io.Reader
	io.ReaderAt
	io.ReaderFrom
	io.Writer
	io.StringWriter
	io.Seeker
	io.Closer
	Locker

	// WriteAt writes at an offset. It is refused if the file was opened with O_APPEND.
	WriteAt(p []byte, off int64) (n int, err error)
	// Name returns the name that the file was opened with.
	Name() string
	// Stat describes the file.
	Stat() (fs.FileInfo, error)
	// ReadDir reads on in a directory: up to n entries and io.EOF at the end, or all
	// that are left if n is 0 or less.
	ReadDir(n int) ([]fs.DirEntry, error)
	// Truncate sets the size of the file.
	Truncate(size int64) error
	// Sync makes the content of the file durable, or the entries of a directory.
	Sync() error
}
