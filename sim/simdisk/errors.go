// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"io/fs"
	"syscall"
)

// The reasons for which operations fail, the same values that the real disk gives.
// They arrive in a *fs.PathError or, from Rename, in a *os.LinkError; test for them
// with errors.Is. ErrNotExist and ErrExist also match fs.ErrNotExist and fs.ErrExist.
var (
	ErrBusy        error = syscall.EBUSY        // the root cannot be moved
	ErrClosed      error = fs.ErrClosed         // the handle is closed
	ErrExist       error = syscall.EEXIST       // the name is taken
	ErrIO          error = syscall.EIO          // the medium failed
	ErrInvalid     error = syscall.EINVAL       // an argument makes no sense
	ErrIsDir       error = syscall.EISDIR       // a file is needed and this is a directory
	ErrNoSpace     error = syscall.ENOSPC       // the volume's capacity is used up
	ErrNotDir      error = syscall.ENOTDIR      // a directory is needed and this is a file
	ErrNotEmpty    error = syscall.ENOTEMPTY    // the directory has entries
	ErrNotExist    error = syscall.ENOENT       // there is nothing of that name
	ErrStale       error = syscall.ESTALE       // the handle was opened before the node's last crash
	ErrTooLarge    error = syscall.EFBIG        // the file would exceed Config.MaxFile
	ErrNotOpenFor  error = syscall.EBADF        // the handle was opened for reading only, or for writing only
	ErrNameTooLong error = syscall.ENAMETOOLONG // an element of the path has more than 255 bytes
)
