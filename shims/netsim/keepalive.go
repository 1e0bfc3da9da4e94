// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// grain is the part of a keep-alive interval to which checks are rounded up, so that
// those of many connections share an event.
const grain = 16

// watch plans the next check of whether the peer is alive.
func (c *conn) watch() {
	c.checkAt = 0
	if c.interval <= 0 || c.state != established || c.orphan {
		return
	}
	wait := c.interval
	if idle := c.now().Sub(c.heard); idle < wait {
		wait -= idle
	}
	step := kernel.Time(max(c.interval/grain, 1))
	c.checkAt = (c.now().Add(wait) + step - 1) / step * step
	c.machine.plan(c)
}

// plan enters a connection into the checks at its time. Connections that close
// before stay there until then.
func (m *machine) plan(c *conn) {
	at := c.checkAt
	m.checks[at] = append(m.checks[at], c)
	if len(m.checks[at]) > 1 {
		return
	}
	inc := m.node.Inc()
	m.stack.sim.At(at, func() { m.node.Do(inc, func() { m.check(at) }) })
}

func (m *machine) check(at kernel.Time) {
	due := m.checks[at]
	delete(m.checks, at)
	for _, c := range due {
		if c.checkAt == at {
			c.checkAlive()
		}
	}
}

// setKeepAlive sets the time between probes; none if it is not positive.
func (c *conn) setKeepAlive(d time.Duration) {
	c.interval = d
	c.watch()
}

// checkAlive probes an idle connection. A probe that would be answered is not sent,
// so that idle connections stay out of the trace.
func (c *conn) checkAlive() {
	defer c.watch()
	if idle := c.now().Sub(c.heard); idle < c.interval || len(c.flight) > 0 || c.peerAnswers() {
		return
	}
	if c.probes++; c.probes > c.cfg().KeepAliveCount {
		c.timeOut()
		return
	}
	c.transmit(flagAck|flagProbe, c.nxt, nil)
}

// peerAnswers reports whether a probe would be answered with an acknowledgement.
func (c *conn) peerAnswers() bool {
	m := c.machine.stack.machineAt(c.remote.Addr(), c.machine)
	return m != nil && c.machine.stack.healthy(c.machine, m) && m.conns[flow{c.remote, c.local}] != nil
}
