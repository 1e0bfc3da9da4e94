// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"math/rand/v2"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// fate is what a crash does to the unsynced changes of a file.
type fate struct {
	kept  []change // what reaches the medium, in order; of a torn write, the pieces
	lost  []change // what does not
	whole int      // number of changes that are kept whole
	torn  []change // the write of which some sectors are kept, if there is one
}

// survivors are the crash models: each draws the fate of changes.
var survivors = map[CrashModel]func(r *rand.Rand, changes []change, sector int64) fate{
	CrashLoseUnsynced: loseAll,
	CrashKeepPrefix:   keepPrefix,
	CrashKeepSubset:   keepSubset,
	CrashTorn:         tear,
}

func loseAll(_ *rand.Rand, changes []change, _ int64) fate {
	return prefix(changes, 0)
}

func keepPrefix(r *rand.Rand, changes []change, _ int64) fate {
	return prefix(changes, int(kernel.Uniform(r, 0, int64(len(changes)))))
}

func prefix(changes []change, n int) fate {
	return fate{kept: changes[:n:n], lost: changes[n:], whole: n}
}

func keepSubset(r *rand.Rand, changes []change, _ int64) fate {
	var f fate
	for _, c := range changes {
		if coin(r) {
			f.kept = append(f.kept, c)
		} else {
			f.lost = append(f.lost, c)
		}
	}
	f.whole = len(f.kept)
	return f
}

// tear keeps a prefix of the changes and, of the write that follows, those sectors
// that are drawn. A truncation is never torn.
func tear(r *rand.Rand, changes []change, sector int64) fate {
	if len(changes) == 0 {
		return fate{}
	}
	n := int(kernel.Uniform(r, 0, int64(len(changes)-1)))
	f, c := prefix(changes, n), changes[n]
	if c.truncate {
		return f
	}
	part := keepSubset(r, sectors(c, sector), sector)
	switch {
	case len(part.lost) == 0:
		f.whole++
	case len(part.kept) > 0:
		f.torn = changes[n : n+1]
	}
	f.kept = append(f.kept, part.kept...)
	f.lost = append(part.lost, changes[n+1:]...)
	return f
}

// sectors cuts a write where sectors of the medium begin.
func sectors(c change, sector int64) []change {
	var pieces []change
	for len(c.data) > 0 {
		n := min(int64(len(c.data)), sector-c.off%sector)
		pieces = append(pieces, change{at: c.at, off: c.off, data: c.data[:n], stray: c.stray})
		c.off, c.data = c.off+n, c.data[n:]
	}
	return pieces
}

func coin(r *rand.Rand) bool { return kernel.Uniform(r, 0, 1) == 1 }
