// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"bytes"
	"io/fs"
	"maps"
	"math"
	"slices"
)

// inode is a file or a directory, whatever its names are.
type inode struct {
	mode fs.FileMode // type and permission bits; nobody checks the permissions

	// Of a file. The live image is the durable one with all unsynced changes, and
	// those that a failed sync dropped.
	live, durable image
	unsynced      []change
	dropped       int   // number of changes that a failed sync lost while the live image has them
	damage        spans // what the medium holds wrongly, see Volume.Damaged

	// Of a directory, otherwise nil. Its images hold times only.
	names        map[string]*inode // as operations see it
	durableNames map[string]*inode // as the medium holds it

	linked bool // reachable by a name in the live tree
	opens  int  // open handles
}

func newInode(mode fs.FileMode) *inode {
	ino := &inode{mode: mode}
	if mode.IsDir() {
		ino.names = map[string]*inode{}
		ino.durableNames = map[string]*inode{}
	}
	return ino
}

func (ino *inode) isDir() bool { return ino.names != nil }

// sync makes every unsynced change of a file durable.
func (ino *inode) sync() {
	for _, c := range ino.unsynced {
		ino.reach(c)
	}
	ino.unsynced = nil
	if ino.dropped > 0 && bytes.Equal(ino.live.data, ino.durable.data) {
		ino.dropped = 0 // what was lost is written again, or overwritten
	}
}

// reach lets a change reach the medium. It mends what it overwrites, unless it went
// astray itself.
func (ino *inode) reach(c change) {
	ino.durable.apply(c)
	switch {
	case c.stray:
	case c.truncate:
		ino.damage = ino.damage.without(span{c.off, math.MaxInt64})
	default:
		ino.damage = ino.damage.without(span{c.off, c.end()})
	}
}

// setDurable replaces a file's content at once and for good.
func (ino *inode) setDurable(im image) {
	ino.live, ino.durable = im, im.copyOf()
	ino.unsynced, ino.dropped = nil, 0
}

// sortedNames returns the names of a directory's entries in order.
func sortedNames(entries map[string]*inode) []string {
	return slices.Sorted(maps.Keys(entries))
}
