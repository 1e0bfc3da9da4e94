// SPDX-License-Identifier: MPL-2.0

package simnet

import (
	"math/rand/v2"
	"time"

	"github.com/hmdsefi/gograph"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// link is one direction between two different nodes.
type link struct {
	from, to *kernel.Node
	config   LinkConfig
	rand     *rand.Rand // made when the first message draws
	cut      bool
	cuts     uint64      // how often it was cut: tells whether a cut fell into a flight
	last     kernel.Time // latest arrival, for FIFO
	free     kernel.Time // when the last byte of what was sent leaves, for Bandwidth
	noise    *rand.Rand  // made when CorruptPPM first draws
	stats    Stats
	edge     *gograph.Edge[nodeID] // in the topology's graph; nil: none
	stale    bool                  // in the topology's list of links to update
}

// linkOf returns the link between two nodes, or nil if one does not exist or both
// are the same.
func (nw *Network) linkOf(from, to kernel.NodeID) *link {
	p, q := nw.port(from), nw.port(to)
	if p == nil || q == nil || from == to {
		return nil
	}
	for int(to) >= len(p.links) {
		p.links = append(p.links, make([]*link, len(nw.ports)-len(p.links))...)
	}
	l := p.links[to]
	if l == nil {
		l = &link{from: p.node, to: q.node, config: nw.link}
		p.links[to] = l
	}
	return l
}

// fate is what a link draws for a message.
type fate struct {
	lost, twice bool
	delay       time.Duration
}

// draw draws the fate of the next message. It draws for loss, delay and
// duplication whatever the outcome: a cut or a changed probability leaves the
// rest of the stream alone.
func (l *link) draw() fate {
	if l.rand == nil {
		l.rand = l.from.Sim().Rand("net/link/" + l.from.Name() + "/" + l.to.Name())
	}
	return fate{
		lost:  kernel.Chance(l.rand, l.config.DropPPM),
		twice: kernel.Chance(l.rand, l.config.DupPPM),
		delay: l.delay(),
	}
}

func (l *link) delay() time.Duration {
	d := l.config.Latency + kernel.UniformDuration(l.rand, 0, l.config.Jitter)
	if kernel.Chance(l.rand, l.config.TailPPM) {
		d += kernel.UniformDuration(l.rand, 0, l.config.Tail)
	}
	return d
}

// arrival returns when a message arrives that takes d from now. On a FIFO link
// that is after all earlier ones, as events of one instant have no fixed order.
func (l *link) arrival(now kernel.Time, d time.Duration) kernel.Time {
	at := now.Add(d)
	if l.config.FIFO {
		at = max(at, l.last+1)
	}
	l.last = max(l.last, at)
	return at
}

// LinkConfig returns the behaviour of the link between two different nodes; the
// zero value if there is no such link.
func (nw *Network) LinkConfig(from, to kernel.NodeID) LinkConfig {
	if l := nw.linkOf(from, to); l != nil {
		return l.config
	}
	return LinkConfig{}
}

// SetLink changes the behaviour of the link for messages that are sent from now
// on. It returns an error if c is not valid, and does nothing if one of the nodes
// does not exist.
func (nw *Network) SetLink(from, to kernel.NodeID, c LinkConfig) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if l := nw.linkOf(from, to); l != nil {
		l.config = c
	}
	return nil
}

// ResetLink gives the link the behaviour that it had at first.
func (nw *Network) ResetLink(from, to kernel.NodeID) {
	if l := nw.linkOf(from, to); l != nil {
		l.config = nw.link
	}
}
