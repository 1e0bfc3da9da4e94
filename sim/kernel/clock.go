// SPDX-License-Identifier: MPL-2.0

package kernel

import (
	"fmt"
	"time"
)

// MaxDrift bounds the drift of a node's clock, in parts per million either way.
const MaxDrift = 500_000

// clock is a node's own idea of time: a line through (since, local) that rises
// million+drift per million.
type clock struct {
	since Time // virtual time of the last change
	local Time // what the clock showed then
	drift int64
}

// at returns what the clock shows at virtual time t.
func (c *clock) at(t Time) Time {
	elapsed := int64(t - c.since)
	return c.local + Time(elapsed+scale(elapsed, c.drift, million))
}

// toGlobal returns the virtual time that passes until the clock has advanced by
// d at its present rate, rounded up.
func (c *clock) toGlobal(d time.Duration) time.Duration {
	if c.drift == 0 || d <= 0 {
		return d
	}
	rate := million + c.drift
	global := scale(int64(d), million, rate)
	if scale(global, rate, million) < int64(d) {
		global++
	}
	return time.Duration(global)
}

// scale returns v*num/den, rounded towards zero, without the overflow of v*num.
func scale(v, num, den int64) int64 {
	return v/den*num + v%den*num/den
}

// Now returns the time that the node's local clock shows, in UTC.
func (n *Node) Now() time.Time { return n.clock.at(n.sim.now).Wall() }

// Offset returns how far the node's clock is ahead of virtual time.
func (n *Node) Offset() time.Duration { return n.clock.at(n.sim.now).Sub(n.sim.now) }

// Drift returns how much faster than virtual time the node's clock runs, in
// parts per million.
func (n *Node) Drift() int64 { return n.clock.drift }

// JumpClock moves the node's clock forward, or back when d is negative. Timers
// are not affected. The clock survives crashes. It reports false if d is 0.
func (n *Node) JumpClock(d time.Duration) bool {
	if d == 0 {
		return false
	}
	n.setClock(n.clock.at(n.sim.now).Add(d), n.clock.drift)
	n.sim.Emit(n, KindClock, fmt.Sprintf("jumps by %v", d))
	return true
}

// SetDrift sets how much faster than virtual time the node's clock runs, in parts
// per million. Timers that are already set keep the rate they were set at. It
// reports false if that is the clock's drift already or is beyond [MaxDrift]
// either way.
func (n *Node) SetDrift(ppm int64) bool {
	if ppm == n.clock.drift || ppm < -MaxDrift || ppm > MaxDrift {
		return false
	}
	n.setClock(n.clock.at(n.sim.now), ppm)
	n.sim.Emit(n, KindClock, fmt.Sprintf("drifts by %d ppm", ppm))
	return true
}

func (n *Node) setClock(local Time, drift int64) {
	n.clock = clock{since: n.sim.now, local: local, drift: drift}
}
