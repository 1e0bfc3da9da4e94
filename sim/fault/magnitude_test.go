// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"testing"
	"time"
)

func TestMagnitudeBoundsTheFault(t *testing.T) {
	abs := func(n int64) int64 { return max(n, -n) }
	count := func(e Event) int64 { return int64(e.Count) }
	for kind, c := range map[Kind]struct {
		magnitude int64
		of        func(Event) int64
		fixed     bool // each fault is as bad as it gets
	}{
		KindLink:           {250_000, func(e Event) int64 { return e.Link.DropPPM }, true},
		KindClockJump:      {int64(time.Hour), func(e Event) int64 { return abs(int64(e.By)) }, false},
		KindClockDrift:     {3000, func(e Event) int64 { return abs(e.PPM) }, false},
		KindSyncFail:       {40, count, false},
		KindCorrupt:        {40, func(e Event) int64 { return e.Length }, false},
		KindMisdirectWrite: {40, count, false},
		KindMisdirectRead:  {40, count, false},
	} {
		var most int64
		least := c.magnitude
		for seed := range uint64(5) {
			w := newWorld(seed, 3, 10*time.Second)
			w.run(t, Random{MaxDamaged: -1, Rules: []Rule{{Kind: kind, Every: ms(200), Magnitude: c.magnitude}}})
			for _, e := range w.injector.Schedule().Events {
				if e.Undoes == 0 {
					most, least = max(most, c.of(e)), min(least, c.of(e))
				}
			}
		}
		wide := most > c.magnitude/2 && least < c.magnitude/2
		if most > c.magnitude || c.fixed && least != c.magnitude || !c.fixed && !wide {
			t.Errorf("%s of magnitude %d: from %d to %d", kind, c.magnitude, least, most)
		}
	}
}
