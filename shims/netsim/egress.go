// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// overhead is what headers add to every packet, in bytes.
const overhead = 64

// egress is the one interface through which a machine sends, in order and not faster
// than Config.Bandwidth. A packet that finds it free leaves at once.
type egress struct {
	free  kernel.Time // when what was sent so far has left
	queue []departure
}

// departure is a packet that waits for the interface.
type departure struct {
	cause uint64
	leave func()
}

// reserve takes the interface for a packet and returns when the packet leaves.
func (m *machine) reserve(size int) kernel.Time {
	now := m.stack.sim.Now()
	rate := int64(m.stack.cfg.Bandwidth)
	if rate < 0 {
		return now
	}
	at := max(now, m.egress.free)
	m.egress.free = at.Add(max(1, time.Duration(int64(size+overhead)*int64(time.Second)/rate)))
	return at
}

// depart runs leave when the interface has time for the packet.
func (m *machine) depart(size int, leave func()) {
	s := m.stack.sim
	at := m.reserve(size)
	if at == s.Now() {
		leave()
		return
	}
	m.egress.queue = append(m.egress.queue, departure{s.Cause(), leave})
	inc := m.node.Inc()
	s.At(at, func() { m.node.Do(inc, m.release) })
}

// release lets the first waiting packet go.
func (m *machine) release() {
	next := m.egress.queue[0]
	m.egress.queue[0] = departure{}
	m.egress.queue = m.egress.queue[1:]
	m.stack.sim.SetCause(next.cause)
	next.leave()
}

// congestion returns how long a packet that is sent now would wait.
func (m *machine) congestion() time.Duration {
	return max(0, m.egress.free.Sub(m.stack.sim.Now()))
}
