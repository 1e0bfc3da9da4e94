// SPDX-License-Identifier: MPL-2.0

package kernel

import "slices"

// Crash ends the current incarnation: its timers and posts are dropped, also
// those that wait for a paused node. It reports false if the node is down.
func (n *Node) Crash() bool {
	if n.state == Down {
		return false
	}
	n.state = Down
	n.dropEvents()
	defer n.sim.SetCause(n.sim.Cause())
	n.sim.Begin(n, KindCrash, "")
	n.each(n.sim.hooks.crash)
	return true
}

func (n *Node) dropEvents() {
	n.sim.queue.dropNode(n)
	for _, slot := range n.held {
		n.sim.queue.release(slot)
	}
	n.held, n.overdue = nil, 0
}

// Restart begins the next incarnation of a crashed node and runs its boot
// function at once. It reports false if the node is not down or was never up.
func (n *Node) Restart() bool {
	if n.state != Down || n.inc == 0 {
		return false
	}
	n.up(KindRestart)
	return true
}

// Pause makes the node stand still: what comes due waits, in that order, for
// Resume. Its clock runs on. It reports false if the node is not up.
func (n *Node) Pause() bool {
	if n.state != Up {
		return false
	}
	n.state = Paused
	defer n.sim.SetCause(n.sim.Cause())
	n.sim.Begin(n, KindPause, "")
	n.each(n.sim.hooks.pause)
	return true
}

// Resume lets a paused node go on: what came due in the pause runs in that order
// at the front of the present instant, each as an event of its own. It reports
// false if the node is not paused.
func (n *Node) Resume() bool {
	if n.state != Paused {
		return false
	}
	n.state = Up
	defer n.sim.SetCause(n.sim.Cause())
	n.sim.Begin(n, KindResume, "")
	n.each(n.sim.hooks.resume)
	for _, slot := range n.held {
		n.sim.queue.push(n.sim.now, 0, slot)
	}
	n.overdue += len(n.held)
	n.held = nil
	return true
}

// admit reports whether the popped event may run. The event of a paused node is
// parked.
func (n *Node) admit(next entry) bool {
	if next.rank == 0 {
		n.overdue--
	}
	if n.state == Paused {
		n.park(next.slot)
		return false
	}
	return true
}

func (n *Node) park(slot int32) {
	n.sim.queue.slots[slot].pos = parked
	n.held = append(n.held, slot)
}

func (n *Node) unpark(slot int32) {
	i := slices.Index(n.held, slot)
	n.held = slices.Delete(n.held, i, i+1)
}
