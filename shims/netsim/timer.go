// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// timer runs a function of the protocol stack later. It does not follow the node's
// local clock; it waits while the node is paused and dies with the incarnation.
type timer struct {
	node  *kernel.Node
	inc   int
	at    kernel.Time
	event kernel.Timer
	armed bool
	fire  func()
	run   func()
}

// init makes t run fn. The steps are made once, so that arming costs no allocation.
func (t *timer) init(n *kernel.Node, fn func()) {
	t.node, t.inc, t.run = n, n.Inc(), fn
	expire := func() {
		// The timer may have been stopped or set anew while the node was paused.
		if t.armed && t.at <= n.Sim().Now() {
			t.armed = false
			fn()
		}
	}
	t.fire = func() { n.Do(t.inc, expire) }
}

// set makes t fire d from now, and not when it was to fire before.
func (t *timer) set(d time.Duration) {
	t.stop()
	s := t.node.Sim()
	t.at = s.Now().Add(d)
	t.armed = true
	t.event = s.At(t.at, t.fire)
}

func (t *timer) stop() {
	if t.armed {
		t.armed = false
		t.node.Sim().Cancel(t.event)
	}
}
