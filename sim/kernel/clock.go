// SPDX-License-Identifier: MPL-2.0

package kernel

import (
	"fmt"
	"math"
	"math/bits"
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
	elapsed, _ := scale(t.Sub(c.since), million+c.drift, million)
	return c.local.Add(elapsed)
}

// toGlobal returns the virtual time that passes until the clock has advanced by
// d at its present rate, rounded up.
func (c *clock) toGlobal(d time.Duration) time.Duration {
	if c.drift == 0 || d <= 0 {
		return d
	}
	global, exact := scale(d, million, million+c.drift)
	if !exact && global < math.MaxInt64 {
		global++
	}
	return global
}

// scale returns d*num/den, rounded down and at most the largest duration, and
// whether that is exact. Nothing may be negative, and den not 0.
func scale(d time.Duration, num, den int64) (quotient time.Duration, exact bool) {
	hi, lo := bits.Mul64(uint64(d), uint64(num))
	if hi >= uint64(den) {
		return math.MaxInt64, false
	}
	q, rest := bits.Div64(hi, lo, uint64(den))
	if q > math.MaxInt64 {
		return math.MaxInt64, false
	}
	return time.Duration(q), rest == 0
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
	n.each(n.sim.hooks.clock)
}
