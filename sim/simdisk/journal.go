// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"slices"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// entryChange is one change of directory entries: one entry set or removed, or, by a
// rename, one removed and one set. It reaches the medium whole or not at all.
type entryChange struct {
	at    kernel.Time
	lost  lostEntry
	edits []entryEdit
}

// lostEntry says what a crash does that loses the change, for the trace.
type lostEntry struct {
	path string
	text string
}

// entryEdit makes name in dir stand for target, or for nothing if that is nil.
type entryEdit struct {
	dir    *inode
	name   string
	target *inode
}

func (c entryChange) touches(dirs []*inode) bool {
	return slices.ContainsFunc(c.edits, func(e entryEdit) bool { return slices.Contains(dirs, e.dir) })
}

// movesDir reports whether a directory gets another parent.
func (c entryChange) movesDir() bool {
	return len(c.edits) == 2 && c.edits[0].dir != c.edits[1].dir && c.edits[1].target.isDir()
}

func (c entryChange) makeDurable() {
	for _, e := range c.edits {
		setEntry(e.dir.durableNames, e.name, e.target)
		e.dir.durable.mod = c.at
	}
}

func setEntry(entries map[string]*inode, name string, target *inode) {
	if target == nil {
		delete(entries, name)
	} else {
		entries[name] = target
	}
}

// changeEntries makes the change in the live tree and, when the metadata model says
// so, in the durable one.
func (v *Volume) changeEntries(lost lostEntry, edits ...entryEdit) {
	c := entryChange{at: v.sim.Now(), lost: lost, edits: edits}
	for _, e := range edits {
		setEntry(e.dir.names, e.name, e.target)
		e.dir.live.mod = c.at
	}
	if v.config.Metadata == MetadataImmediate {
		c.makeDurable()
		return
	}
	v.journal = append(v.journal, c)
}

// commit makes the entry changes of dir durable, and of the others those without
// which the durable tree would make no sense: what came before in a directory that
// a rename shares with dir, and everything before a move of a directory.
func (v *Volume) commit(dir *inode) {
	chosen := v.choose(dir)
	var rest []entryChange
	for i, c := range v.journal {
		if chosen[i] {
			c.makeDurable()
		} else {
			rest = append(rest, c)
		}
	}
	v.journal = rest
}

func (v *Volume) choose(dir *inode) []bool {
	chosen := make([]bool, len(v.journal))
	dirs, all := []*inode{dir}, false
	for i, c := range slices.Backward(v.journal) {
		if !all && !c.touches(dirs) {
			continue
		}
		chosen[i] = true
		all = all || c.movesDir()
		for _, e := range c.edits {
			if !slices.Contains(dirs, e.dir) {
				dirs = append(dirs, e.dir)
			}
		}
	}
	return chosen
}
