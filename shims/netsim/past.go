// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// pastLife is how long a machine answers for a connection that both sides have
// closed. The time is kept without a timer, and it holds no port.
const pastLife = 60 * time.Second

// past is what remains of a connection that both sides have closed: enough to answer
// a FIN whose acknowledgement was lost, and not to take late copies for the segments
// of a stranger.
type past struct {
	flow
	name        string
	nxt, rcvNxt uint64
	until       kernel.Time
}

// remember keeps what remains of c and drops what is too old.
func (m *machine) remember(c *conn) {
	p := &past{flow: c.flow, name: c.name, nxt: c.nxt, rcvNxt: c.rcvNxt, until: c.now().Add(pastLife)}
	m.pasts[p.flow] = p
	m.pastOrder = append(m.pastOrder, p)
	for len(m.pastOrder) > 0 && m.pastOrder[0].until <= c.now() {
		m.forgetPast(m.pastOrder[0])
		m.pastOrder[0] = nil
		m.pastOrder = m.pastOrder[1:]
	}
}

// forgetPast drops p unless a later connection of the same flow took its place.
func (m *machine) forgetPast(p *past) {
	if m.pasts[p.flow] == p {
		delete(m.pasts, p.flow)
	}
}

// receivePast handles a segment of a past connection and reports whether it was one.
// A SYN begins a new life of the flow.
func (m *machine) receivePast(seg *segment) bool {
	p := m.pasts[flow{seg.to, seg.from}]
	if p == nil || p.until <= m.stack.sim.Now() || seg.flags.has(flagSyn) {
		return false
	}
	if !seg.flags.has(flagRst) && (seg.end() > seg.seq || seg.flags.has(flagProbe)) {
		m.send(&segment{from: seg.to, to: seg.from, flags: flagAck, seq: p.nxt, ack: p.rcvNxt}, p.name)
	}
	return true
}
