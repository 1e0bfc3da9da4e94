// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"io"
	"io/fs"
	"os"
)

// File is an open file, or an open directory. A crash of the node makes it stale:
// every call but Name fails with ErrStale from then on.
type File struct {
	vol    *Volume
	ino    *inode
	name   string // as given to Open
	path   string // where that was
	flag   int
	gen    int
	closed bool
}

// Name returns the name that the file was opened with.
func (f *File) Name() string { return f.name }

// IsDir reports whether it is a directory.
func (f *File) IsDir() bool { return f.ino.isDir() }

// ReadAt reads into p what stands at off, as io.ReaderAt has it.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	if err := f.check("read", os.O_WRONLY); err != nil {
		return 0, err
	}
	n, err := f.vol.read(f.ino, f.path, p, off)
	return n, f.wrap("read", err)
}

// WriteAt writes p at off. A gap between the old end and off reads as zeros. If the
// volume is full, it writes as much as fits and returns ErrNoSpace.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	if err := f.check("write", os.O_RDONLY); err != nil {
		return 0, err
	}
	n, err := f.vol.write(f.ino, f.path, p, off)
	if err == nil && f.flag&os.O_SYNC != 0 {
		err = f.vol.sync(f.ino, f.path)
	}
	return n, f.wrap("write", err)
}

// Append writes p at the end of the file.
func (f *File) Append(p []byte) (int, error) {
	return f.WriteAt(p, f.ino.live.size())
}

// Truncate sets the size of the file.
func (f *File) Truncate(size int64) error {
	if err := f.check("truncate", -1); err != nil {
		return err
	}
	if accessMode(f.flag) == os.O_RDONLY {
		return f.wrap("truncate", ErrInvalid)
	}
	return f.wrap("truncate", f.vol.truncate(f.ino, f.path, size))
}

// Sync makes the file's content durable, or the entries of a directory.
func (f *File) Sync() error {
	if err := f.check("sync", -1); err != nil {
		return err
	}
	if f.ino.isDir() {
		return f.wrap("sync", f.vol.syncDir(f.ino, f.path))
	}
	return f.wrap("sync", f.vol.sync(f.ino, f.path))
}

// Size returns the size of the file in bytes.
func (f *File) Size() (int64, error) {
	if err := f.check("stat", -1); err != nil {
		return 0, err
	}
	return f.ino.live.size(), nil
}

// Stat describes the file. Times are virtual.
func (f *File) Stat() (fs.FileInfo, error) {
	if err := f.check("stat", -1); err != nil {
		return nil, err
	}
	return f.ino.info(baseName(f.path)), nil
}

// ReadDir lists the directory, sorted by name.
func (f *File) ReadDir() ([]fs.DirEntry, error) {
	if err := f.check("readdir", -1); err != nil {
		return nil, err
	}
	switch {
	case !f.ino.isDir():
		return nil, f.wrap("readdir", ErrNotDir)
	case !f.ino.linked: // removed
		return nil, f.wrap("readdir", ErrNotExist)
	}
	return f.ino.list(), nil
}

// Close ends the use of the file. It syncs nothing. A second Close fails with
// ErrClosed.
func (f *File) Close() error {
	err := f.check("close", -1)
	if !f.closed && f.gen == f.vol.gen {
		f.abandon()
		f.letGo()
		f.ino.opens--
		f.vol.release(f.ino)
	}
	f.closed = true
	return err
}

// check says whether the handle can be used, and whether it was opened otherwise
// than with the access mode that forbids the operation.
func (f *File) check(op string, forbids int) error {
	switch {
	case f.closed:
		return f.wrap(op, ErrClosed)
	case f.gen != f.vol.gen:
		return f.wrap(op, ErrStale)
	case accessMode(f.flag) == forbids:
		return f.wrap(op, ErrNotOpenFor)
	}
	return nil
}

// wrap names the operation and the file in err, but leaves io.EOF bare.
func (f *File) wrap(op string, err error) error {
	if err == io.EOF {
		return err
	}
	return pathError(op, f.name, err)
}
