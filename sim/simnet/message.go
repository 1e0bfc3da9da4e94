// SPDX-License-Identifier: MPL-2.0

package simnet

import (
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// The kinds of the network's trace records.
const (
	KindSend    kernel.Kind = "net.send"
	KindDeliver kernel.Kind = "net.deliver"
	KindDrop    kernel.Kind = "net.drop"
)

// message is one copy on its way. Its two steps are made once and used again with
// it, so that a message costs no allocation.
type message struct {
	from, to kernel.NodeID
	what     string
	size     int // in bytes
	payload  any
	deliver  func() // of SendRaw; nil: the handler gets the payload
	link     *link  // nil: to the node itself, or to nowhere
	cuts     uint64 // link.cuts when it was sent
	sent     uint64 // sequence number of the net.send record

	arrive, hand func()
}

func (nw *Network) newMessage(from, to kernel.NodeID, what string) *message {
	var m *message
	if n := len(nw.free); n > 0 {
		m = nw.free[n-1]
		nw.free = nw.free[:n-1]
	} else {
		m = &message{}
		m.arrive = func() { nw.arrive(m) }
		m.hand = func() { nw.hand(m) }
	}
	m.from, m.to, m.what = from, to, what
	return m
}

// recycle keeps a finished message for the next.
func (nw *Network) recycle(m *message) {
	*m = message{arrive: m.arrive, hand: m.hand}
	nw.free = append(nw.free, m)
}

// send draws the fate of m and puts it on its way.
func (nw *Network) send(n *kernel.Node, m *message) {
	if n.State() == kernel.Down {
		nw.recycle(m)
		return
	}
	outer := nw.sim.Cause()
	m.sent = nw.sim.Begin(n, KindSend, m.what, kernel.Attr{Key: "to", Value: nw.name(m.to)})
	m.link = nw.linkOf(m.from, m.to)
	nw.count(m, func(s *Stats) { s.Sent++ })
	nw.launch(m)
	nw.sim.SetCause(outer)
}

func (nw *Network) launch(m *message) {
	l := m.link
	switch {
	case nw.port(m.to) == nil:
		nw.drop(m, Down)
		return
	case l == nil:
		nw.sim.After(0, m.arrive)
		return
	}
	f := l.draw()
	switch {
	case l.cut:
		nw.drop(m, Partition)
		return
	case f.lost:
		nw.drop(m, Loss)
		return
	}
	sent, ok := l.transfer(nw.sim.Now(), m.size)
	if !ok {
		nw.drop(m, Queue)
		return
	}
	m.cuts = l.cuts
	var second *message
	if f.twice {
		second = nw.copyOf(m)
		nw.count(m, func(s *Stats) { s.Duplicated++ })
	}
	nw.travel(m, sent, f.delay)
	if second != nil {
		nw.travel(second, sent, l.delay())
	}
}

// travel puts m on its way when it has left the sender.
func (nw *Network) travel(m *message, sent kernel.Time, delay time.Duration) {
	if !nw.damage(m) {
		nw.drop(m, Corrupt)
		return
	}
	nw.sim.At(m.link.arrival(sent, delay), m.arrive)
}

func (nw *Network) copyOf(m *message) *message {
	c := nw.newMessage(m.from, m.to, m.what)
	c.size, c.payload, c.deliver, c.link, c.cuts, c.sent = m.size, m.payload, m.deliver, m.link, m.cuts, m.sent
	return c
}

// arrive is the event in which m reaches the receiver's machine.
func (nw *Network) arrive(m *message) {
	p := nw.port(m.to)
	switch n := p.node; {
	case m.link != nil && m.link.cuts != m.cuts:
		nw.drop(m, PartitionInFlight)
	case n.State() == kernel.Down:
		nw.drop(m, Down)
	default:
		p.waiting.push(m)
		n.Do(n.Inc(), m.hand)
	}
}

// hand gives m to the receiver, which is up.
func (nw *Network) hand(m *message) {
	p := nw.port(m.to)
	p.waiting.pop()
	if m.deliver == nil && p.handler == nil {
		nw.drop(m, NoHandler)
		return
	}
	nw.sim.Begin(p.node, KindDeliver, m.what, kernel.Attr{Key: "from", Value: nw.name(m.from)})
	nw.count(m, func(s *Stats) { s.Delivered++ })
	from, payload, deliver, handler := m.from, m.payload, m.deliver, p.handler
	nw.recycle(m)
	if deliver != nil {
		deliver()
	} else {
		handler(from, payload)
	}
}

// drop ends m without a delivery. The record stands at the node where it happened.
func (nw *Network) drop(m *message, why Reason) {
	at := m.from
	if !why.atSender() && nw.port(m.to) != nil {
		at = m.to
	}
	nw.sim.Emit(nw.sim.NodeByID(at), KindDrop, m.what,
		kernel.Attr{Key: "reason", Value: why.String()},
		kernel.Attr{Key: "from", Value: nw.name(m.from)},
		kernel.Attr{Key: "to", Value: nw.name(m.to)})
	nw.count(m, func(s *Stats) { s.Dropped[why]++ })
	nw.recycle(m)
}
