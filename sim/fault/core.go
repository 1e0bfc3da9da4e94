// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"slices"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// recoverCore begins the recovery window of a planner with a Core: the faults of the
// planner end as far as they touch nobody but the core and the nodes that are no
// servers, the others stay, and every server outside the core is put out of action.
func (c *Control) recoverCore(at time.Duration, size int) {
	c.noteRecovery(at)
	c.inj.at(at, func() {
		c.inj.idle()
		rest := c.outsideCore(size)
		c.inj.mendAmong(c, func(n *kernel.Node) bool { return !slices.Contains(rest, n) })
		for _, n := range rest {
			c.knockOut(n)
		}
	})
}

// outsideCore draws a core of so many servers and returns the others.
func (c *Control) outsideCore(size int) []*kernel.Node {
	servers := c.Nodes("")
	shuffle(c.Rand(), servers)
	return servers[min(size, len(servers)):]
}

// knockOut crashes, pauses or cuts off a server for the rest of the run, unless it
// is down or paused already.
func (c *Control) knockOut(n *kernel.Node) {
	kind, _ := pick(c.Rand(), []Kind{KindCrash, KindPause, KindIsolate})
	if n.State() != kernel.Up {
		return
	}
	c.inj.at(c.inj.now(), func() { c.inj.apply(c, Event{Kind: kind, Node: n.Name()}) })
}

// mendAmong ends, now, those faults of a planner that are still on and touch only
// nodes that suit, and the cuts between two such nodes. The ends that were due for
// the others are taken back.
func (i *Injector) mendAmong(by *Control, suits func(*kernel.Node) bool) {
	at := func(e Event) { i.at(i.now(), func() { i.apply(by, e) }) }
	for _, o := range i.open {
		if o.by != by {
			continue
		}
		i.env.Sim.Cancel(o.timer)
		o.timer = kernel.Timer{}
		switch {
		case len(o.links) > 0:
			for _, l := range o.links {
				from, to := i.env.Sim.NodeByID(l.from), i.env.Sim.NodeByID(l.to)
				if suits(from) && suits(to) && !i.env.Net.Reach(l.from, l.to) {
					at(Event{Kind: KindHealLink, From: from.Name(), To: to.Name()})
				}
			}
		case i.touchesOnly(&o.event, suits):
			at(o.undo)
		}
	}
}

// touchesOnly reports whether every node that e names suits.
func (i *Injector) touchesOnly(e *Event, suits func(*kernel.Node) bool) bool {
	for _, name := range []string{e.Node, e.From, e.To} {
		if name != "" && !suits(i.node(name)) {
			return false
		}
	}
	return true
}
