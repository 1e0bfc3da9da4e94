// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"fmt"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// The kinds of the records of operations that the medium misplaced.
const (
	kindStrayWrite kernel.Kind = "disk.stray-write"
	kindStrayRead  kernel.Kind = "disk.stray-read"
)

// MisdirectWrites makes the next n writes to files of more than one sector report
// success and put their data at another place of the file, where a sector begins.
// With a negative n all do, until MisdirectWrites(0).
func (v *Volume) MisdirectWrites(n int) { v.strayWrites = n }

// MisdirectReads makes the next n reads from files of more than one sector return
// what stands at another place of the file, where a sector begins. With a negative
// n all do, until MisdirectReads(0).
func (v *Volume) MisdirectReads(n int) { v.strayReads = n }

// Damaged returns how many bytes of the volume's files the medium holds wrongly:
// those that Corrupt has flipped, and those that a misdirected write has hit or
// missed. Bytes count no more once something is written over them and synced, and
// files no more once they are removed. A crash can take damage back, if it loses
// the write that did it; it is counted nevertheless.
func (v *Volume) Damaged() int64 { return damaged(v.root) }

func damaged(ino *inode) int64 {
	if !ino.isDir() {
		return ino.damage.bytes(ino.live.size())
	}
	var sum int64
	for _, name := range sortedNames(ino.names) {
		sum += damaged(ino.names[name])
	}
	return sum
}

// Suspect reports whether the volume holds damage, or will when the next write goes
// astray.
func (v *Volume) Suspect() bool { return v.strayWrites != 0 || v.Damaged() > 0 }

// due reports whether an operation is to go astray, and counts it.
func due(left *int) bool {
	if *left > 0 {
		*left--
		return true
	}
	return *left < 0
}

// elsewhere draws where a sector begins that is not the one of off. The file has
// more than one.
func (v *Volume) elsewhere(ino *inode, off int64) int64 {
	sector := int64(v.config.Sector)
	last, own := (ino.live.size()-1)/sector, off/sector
	if own > last {
		return sector * kernel.Uniform(v.rand, 0, last)
	}
	other := kernel.Uniform(v.rand, 0, last-1)
	if other >= own {
		other++
	}
	return sector * other
}

// roomy reports whether the file has a second sector.
func (v *Volume) roomy(ino *inode) bool { return ino.live.size() > int64(v.config.Sector) }

// miswrite puts a write at a wrong place if one is to go astray, and reports
// whether it did. The file has the size that it should have.
func (v *Volume) miswrite(ino *inode, path string, off int64, data []byte) bool {
	if !v.roomy(ino) || !due(&v.strayWrites) {
		return false
	}
	at := v.elsewhere(ino, off)
	end := off + int64(len(data))
	if end > ino.live.size() {
		v.change(ino, change{at: v.sim.Now(), truncate: true, off: end, stray: true})
	}
	hit := data[:min(int64(len(data)), ino.live.size()-at)]
	v.change(ino, change{at: v.sim.Now(), off: at, data: hit, stray: true})
	ino.damage = ino.damage.with(span{off, end}).with(span{at, at + int64(len(hit))})
	v.emitStray(kindStrayWrite, path, off, at, len(data))
	return true
}

// misread replaces what was read from off if a read is to go astray.
func (v *Volume) misread(ino *inode, path string, p []byte, off int64) {
	if len(p) == 0 || !v.roomy(ino) || !due(&v.strayReads) {
		return
	}
	at := v.elsewhere(ino, off)
	clear(p[copy(p, ino.live.data[at:]):])
	v.emitStray(kindStrayRead, path, off, at, len(p))
}

func (v *Volume) emitStray(kind kernel.Kind, path string, off, at int64, n int) {
	v.sim.Emit(v.node, kind, fmt.Sprintf("%s: %d bytes at %d instead of %d", path, n, at, off),
		kernel.Attr{Key: "path", Value: path}, kernel.Attr{Key: "off", Value: fmt.Sprint(off)},
		kernel.Attr{Key: "at", Value: fmt.Sprint(at)}, kernel.Attr{Key: "len", Value: fmt.Sprint(n)})
}
