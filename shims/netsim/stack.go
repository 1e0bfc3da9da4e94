// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"net/netip"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// The kinds of the trace records of this package. The segments and datagrams
// themselves appear as net.send, net.deliver and net.drop records.
const (
	KindListen      kernel.Kind = "tcp.listen"
	KindSyn         kernel.Kind = "tcp.syn"         // a dial begins
	KindEstablished kernel.Kind = "tcp.established" // the handshake is done on this side
	KindSegment     kernel.Kind = "tcp.segment"     // data arrived in order; attrs bytes and offset in the stream
	KindRetransmit  kernel.Kind = "tcp.retransmit"  // attrs bytes, offset and try
	KindFin         kernel.Kind = "tcp.fin"         // the peer will send no more
	KindRst         kernel.Kind = "tcp.rst"         // attr dir is sent or received
	KindTimeout     kernel.Kind = "tcp.timeout"     // the peer did not answer for too long
	KindDatagram    kernel.Kind = "udp.recv"        // attr bytes
	KindOverflow    kernel.Kind = "udp.overflow"    // the receive buffer was full; attr bytes
)

// Stack is the protocol stack of all nodes of a simulation. It belongs to the
// driver's goroutine.
type Stack struct {
	sim      *kernel.Sim
	nw       *simnet.Network
	cfg      Config
	machines []*machine // by node id
	lastConn uint64
}

// New returns a stack over nw. It panics if c is not valid, see [Config.Validate].
func New(s *kernel.Sim, nw *simnet.Network, c Config) *Stack {
	c, err := c.resolve()
	if err != nil {
		panic(err)
	}
	st := &Stack{sim: s, nw: nw, cfg: c}
	s.OnCrash(func(n *kernel.Node) { st.machine(n).crash() })
	return st
}

// Host returns the network of an incarnation. It ends with p.
func (st *Stack) Host(p *driver.Proc) *Host {
	h := &Host{proc: p, machine: st.machine(p.Node())}
	h.machine.hosted = true
	p.AtEnd(func() { h.machine.leave(h) })
	st.nw.Handle(p.Node(), h.machine.receiveMessage)
	return h
}

func (st *Stack) machine(n *kernel.Node) *machine {
	for int(n.ID()) >= len(st.machines) {
		st.machines = append(st.machines, nil)
	}
	m := st.machines[n.ID()]
	if m == nil {
		m = newMachine(st, n)
		st.machines[n.ID()] = m
	}
	return m
}

// machineAt returns the machine that a sees at the address, or nil.
func (st *Stack) machineAt(a netip.Addr, from *machine) *machine {
	if from.own(a) {
		return from
	}
	id, _ := nodeOf(a)
	if n := st.sim.NodeByID(id); n != nil {
		return st.machine(n)
	}
	return nil
}

// carry takes a packet of that payload size from a machine to the address: over the
// network, or around the loopback.
func (st *Stack) carry(from *machine, to netip.Addr, size int, what string, arrive func(to *machine)) {
	switch m := st.machineAt(to, from); m {
	case nil:
	case from:
		m.loop(size, func() { arrive(m) })
	default:
		from.depart(size, func() {
			st.nw.SendRawSize(from.node.ID(), m.node.ID(), what, size+overhead, func() { arrive(m) })
		})
	}
}

// healthy reports whether segments between two machines are answered now: neither
// is down nor paused, and the links between them let something through.
func (st *Stack) healthy(a, b *machine) bool {
	if a.node.State() != kernel.Up || b.node.State() != kernel.Up {
		return false
	}
	return a == b || st.passes(a, b) && st.passes(b, a)
}

func (st *Stack) passes(from, to *machine) bool {
	x, y := from.node.ID(), to.node.ID()
	return st.nw.Reach(x, y) && st.nw.LinkConfig(x, y).DropPPM < 1_000_000
}
