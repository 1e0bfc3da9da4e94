// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"maps"
	"path"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// crash leaves of the volume what the medium holds, and makes that the volume.
func (v *Volume) crash() {
	v.gen++
	v.used = 0
	clear(v.locks)
	v.crashEntries()
	v.settle("/", v.root)
}

// crashEntries lets a prefix of the entry changes that were not durable reach the
// medium.
func (v *Volume) crashEntries() {
	n := len(v.journal)
	if n == 0 {
		return
	}
	kept := int(kernel.Uniform(v.rand, 0, int64(n)))
	for _, c := range v.journal[:kept] {
		c.makeDurable()
	}
	for _, c := range v.journal[kept:] {
		v.sim.Emit(v.node, kindCrash, c.lost.text, kernel.Attr{Key: "path", Value: c.lost.path})
	}
	v.journal = nil
}

// settle makes the durable tree under ino the live one.
func (v *Volume) settle(name string, ino *inode) {
	ino.linked, ino.opens = true, 0
	if !ino.isDir() {
		v.crashFile(name, ino)
		v.used += ino.live.size()
		return
	}
	ino.names = maps.Clone(ino.durableNames)
	ino.live.mod = ino.durable.mod
	for _, elem := range sortedNames(ino.names) {
		v.settle(path.Join(name, elem), ino.names[elem])
	}
}

// crashFile lets those of a file's unsynced changes reach the medium that the crash
// model chooses.
func (v *Volume) crashFile(name string, ino *inode) {
	if len(ino.unsynced) > 0 {
		model := v.crashModel()
		fate := survivors[model](v.rand, ino.unsynced, int64(v.config.Sector))
		for _, c := range fate.kept {
			ino.reach(c)
		}
		v.emitFate(name, model, len(ino.unsynced), fate)
	}
	if ino.dropped > 0 {
		v.emitDropped(name, ino.dropped)
	}
	if len(ino.unsynced) > 0 || ino.dropped > 0 {
		ino.setDurable(ino.durable)
	}
}

func (v *Volume) crashModel() CrashModel {
	if v.config.Crash != CrashAny {
		return v.config.Crash
	}
	single := crashModels[1:]
	return single[kernel.Uniform(v.rand, 0, int64(len(single)-1))]
}
