// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"sync/atomic"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// Clock is the local clock of a process: virtual time, with the offset and the drift
// that faults gave it. All goroutines of the process may use it, and it never waits,
// also while the node is paused.
type Clock struct {
	node  *kernel.Node
	state atomic.Pointer[clockState]
}

// clockState says what a clock showed at an instant, and how it goes on.
type clockState struct {
	base  time.Time // the instant, in virtual time
	local time.Time
	drift int64 // ppm
}

func newClock(n *kernel.Node) *Clock {
	c := &Clock{node: n}
	c.sync()
	return c
}

// sync takes over what a fault did to the node's clock. It runs on the simulator's
// goroutine.
func (c *Clock) sync() {
	c.state.Store(&clockState{base: c.node.Sim().Now().Wall(), local: c.node.Now(), drift: c.node.Drift()})
}

// Now returns the time that the node's clock shows.
func (c *Clock) Now() time.Time {
	s := c.state.Load()
	passed := time.Since(s.base)
	return s.local.Add(passed + drifted(passed, s.drift))
}

// Since returns how much time has passed since t on the node's clock.
func (c *Clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Until returns how much time is left until t on the node's clock.
func (c *Clock) Until(t time.Time) time.Duration { return t.Sub(c.Now()) }

// drifted returns ppm millionths of d without overflow.
func drifted(d time.Duration, ppm int64) time.Duration {
	const million = 1_000_000
	return d/million*time.Duration(ppm) + d%million*time.Duration(ppm)/million
}
