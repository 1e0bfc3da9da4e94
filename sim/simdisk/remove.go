// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"os"
	"strings"
)

// Rename moves a file or directory. A file at newname is replaced, a directory is an
// error, as with os.Rename. The change reaches the medium whole or not at all.
func (v *Volume) Rename(oldname, newname string) error {
	if err := v.rename(oldname, newname); err != nil {
		return &os.LinkError{Op: "rename", Old: oldname, New: newname, Err: err}
	}
	return nil
}

func (v *Volume) rename(oldname, newname string) error {
	if newname == "" {
		return ErrNotExist
	}
	from, err := v.find(oldname)
	if err != nil {
		return err
	}
	to, err := v.find(newname)
	if err != nil {
		return err
	}
	if from.ino == nil {
		return ErrNotExist
	}
	if err := checkRename(from, to); err != nil || from.ino == to.ino {
		return err
	}
	if to.ino != nil {
		v.unlink(to.ino)
	}
	v.changeEntries(lostEntry{from.path, "crash undid the rename of " + from.path + " to " + to.path},
		from.edit(nil), to.edit(from.ino))
	v.emitRename(from.path, to.path)
	return nil
}

// checkRename gives the reasons of package os for not renaming.
func checkRename(from, to place) error {
	switch {
	case to.ino != nil && to.ino.isDir():
		return ErrExist
	case from.isRoot():
		return ErrBusy
	case strings.HasPrefix(to.path, from.path+"/"):
		return ErrInvalid
	case to.ino != nil && from.ino.isDir():
		return ErrNotDir
	}
	return nil
}

// Remove removes a file or an empty directory. Handles of a removed file go on to
// work.
func (v *Volume) Remove(name string) error {
	at, err := v.find(name)
	switch {
	case err != nil:
	case at.ino == nil:
		err = ErrNotExist
	case at.isRoot():
		err = ErrInvalid
	case len(at.ino.names) > 0:
		err = ErrNotEmpty
	default:
		v.remove(at)
	}
	return pathError("remove", name, err)
}

// RemoveAll removes a file or a directory with all that is in it. That there is no
// such file is no error.
func (v *Volume) RemoveAll(name string) error {
	at, err := v.find(name)
	switch {
	case err == ErrNotExist:
		return nil
	case err != nil:
	case at.isRoot():
		err = ErrInvalid
	case at.ino != nil:
		v.removeTree(at)
	}
	return pathError("removeall", name, err)
}

func (v *Volume) removeTree(at place) {
	for _, name := range sortedNames(at.ino.names) {
		v.removeTree(place{path: at.path + "/" + name, dir: at.ino, base: name, ino: at.ino.names[name]})
	}
	v.remove(at)
}

func (v *Volume) remove(at place) {
	v.unlink(at.ino)
	v.changeEntries(lostEntry{at.path, "crash undid the removal of " + at.path}, at.edit(nil))
	v.emitPath(kindRemove, at.path)
}

// unlink takes the last name from an inode. Its bytes are free once no handle is
// left.
func (v *Volume) unlink(ino *inode) {
	ino.linked = false
	v.release(ino)
}

func (v *Volume) release(ino *inode) {
	if !ino.linked && ino.opens == 0 {
		v.used -= ino.live.size()
	}
}
