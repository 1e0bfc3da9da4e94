// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"path"
	"strings"
)

// maxName is the longest element of a path, as on most file systems.
const maxName = 255

// place is where a path leads: the entry base in dir, and what it stands for now.
// The root has no dir and no base.
type place struct {
	path string // rooted and cleaned
	dir  *inode
	base string
	ino  *inode // nil if there is no such entry
}

func (pl place) isRoot() bool { return pl.dir == nil }

// baseName returns the last element of a path, as package os names a file that it
// describes: the root is ".".
func baseName(name string) string { return path.Base(rooted(name)[1:]) }

// edit returns the change of the entry to target.
func (pl place) edit(target *inode) entryEdit {
	return entryEdit{dir: pl.dir, name: pl.base, target: target}
}

// find resolves a name in the live tree. Every element but the last must be a
// directory.
func (v *Volume) find(name string) (place, error) {
	return v.walk(name, func(dir *inode) map[string]*inode { return dir.names })
}

// findDurable resolves a name in the durable tree.
func (v *Volume) findDurable(name string) (place, error) {
	return v.walk(name, func(dir *inode) map[string]*inode { return dir.durableNames })
}

func (v *Volume) walk(name string, entries func(*inode) map[string]*inode) (place, error) {
	elements, err := elements(name)
	if err != nil {
		return place{}, err
	}
	at := place{path: rooted(name), ino: v.root}
	for _, elem := range elements {
		switch {
		case at.ino == nil:
			return place{}, ErrNotExist
		case !at.ino.isDir():
			return place{}, ErrNotDir
		}
		at.dir, at.base = at.ino, elem
		at.ino = entries(at.dir)[elem]
	}
	return at, nil
}

// rooted returns the path that name means: names are relative to the root, whether
// they start with a slash or not, and nothing leads out of it.
func rooted(name string) string { return path.Clean("/" + name) }

// elements splits a name, and checks it.
func elements(name string) ([]string, error) {
	if name == "" {
		return nil, ErrNotExist
	}
	if strings.ContainsRune(name, 0) {
		return nil, ErrInvalid
	}
	clean := rooted(name)
	if clean == "/" {
		return nil, nil
	}
	elements := strings.Split(clean[1:], "/")
	for _, e := range elements {
		if len(e) > maxName {
			return nil, ErrNameTooLong
		}
	}
	return elements, nil
}
