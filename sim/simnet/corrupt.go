// SPDX-License-Identifier: MPL-2.0

package simnet

import (
	"math/rand/v2"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// KindCorrupt is the kind of the record of a message that a link has damaged.
const KindCorrupt kernel.Kind = "net.corrupt"

// Corrupter is a payload that can be delivered damaged: Corrupt returns a damaged
// copy, with all its choices drawn from r, and leaves the payload itself alone. A
// link with CorruptPPM drops other payloads with the reason [Corrupt], as a
// checksum below the application would.
type Corrupter interface {
	Corrupt(r *rand.Rand) any
}

// damage draws whether the link damages m, and does it. It reports false if nothing
// that could be delivered is left. It has a stream of its own, so that the other
// choices of the link are the same with and without it.
func (nw *Network) damage(m *message) bool {
	l := m.link
	if l.config.CorruptPPM == 0 {
		return true
	}
	if l.noise == nil {
		l.noise = nw.sim.Rand("net/corrupt/" + l.from.Name() + "/" + l.to.Name())
	}
	if !kernel.Chance(l.noise, l.config.CorruptPPM) {
		return true
	}
	c, ok := m.payload.(Corrupter)
	if !ok || m.deliver != nil {
		return false
	}
	m.payload = c.Corrupt(l.noise)
	m.what = describe(m.payload)
	nw.sim.Emit(l.from, KindCorrupt, m.what, kernel.Attr{Key: "to", Value: l.to.Name()})
	nw.count(m, func(s *Stats) { s.Corrupted++ })
	return true
}
