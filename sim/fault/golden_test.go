// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"testing"
	"time"
)

// goldenStorms are runs with every kind of fault on network and disks. Their hashes
// are the same on every platform and for every Go release. A change of one is a
// change of what every seed means: bump it knowingly.
var goldenStorms = []struct {
	seed   uint64
	swarm  bool
	core   int
	hash   uint64
	events int // of the schedule
}{
	{1, false, 0, 0x736ea17677edf5, 718},
	{2, true, 0, 0x9a73cd4b0ce643, 72},
	{0xfeedface, false, 3, 0xaa90094c4ddbacf6, 775},
}

func TestGoldenStorms(t *testing.T) {
	for _, g := range goldenStorms {
		w := newWorld(g.seed, 5, 10*time.Second)
		r := storm()
		r.Swarm, r.Core = g.swarm, g.core
		w.run(t, r)
		hash, events := w.env.Sim.TraceHash(), len(w.injector.Schedule().Events)
		if hash != g.hash || events != g.events {
			t.Errorf("seed %#x: %#x and %d faults, want %#x and %d", g.seed, hash, events, g.hash, g.events)
		}
	}
}
