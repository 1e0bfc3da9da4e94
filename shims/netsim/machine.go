// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"net/netip"
	"slices"
	"syscall"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// The range that ephemeral ports come from.
const (
	firstEphemeral = 32768
	lastEphemeral  = 60999
)

// flow identifies a connection on a machine.
type flow struct{ local, remote netip.AddrPort }

// machine is the protocol stack of one node. A crash empties it; only the choice of
// the next ephemeral port goes on, so that ports are not reused at once.
type machine struct {
	stack *Stack
	node  *kernel.Node
	// hosted is set once a process has been here: the node has sockets and not just a handler.
	hosted bool

	conns     map[flow]*conn
	pasts     map[flow]*past
	pastOrder []*past // by age
	listeners map[uint16][]*listener
	sockets   map[uint16][]*socket // UDP
	inUse     map[uint16]int       // connections by local port
	nextPort  uint16
	checks    map[kernel.Time][]*conn // keep-alive
	egress    egress
	loopback  []departure // on their way around the loopback, in order
}

func newMachine(st *Stack, n *kernel.Node) *machine {
	m := &machine{stack: st, node: n}
	r := st.sim.Rand("net/ports/" + n.Name())
	m.nextPort = uint16(kernel.Uniform(r, firstEphemeral, lastEphemeral))
	m.clear()
	return m
}

func (m *machine) clear() {
	m.conns = make(map[flow]*conn)
	m.pasts, m.pastOrder = make(map[flow]*past), nil
	m.listeners = make(map[uint16][]*listener)
	m.sockets = make(map[uint16][]*socket)
	m.inUse = make(map[uint16]int)
	m.checks = make(map[kernel.Time][]*conn)
	m.egress, m.loopback = egress{}, nil
}

// crash drops everything without a word to anyone.
func (m *machine) crash() {
	for _, c := range m.byAge() {
		c.stopTimers()
		c.state = closed
	}
	m.clear()
}

// leave closes what an incarnation left open while its node goes on, as a kernel does
// for a process that ends: what it has written is still delivered, unless it has not
// read everything that came.
func (m *machine) leave(h *Host) {
	if m.node.State() == kernel.Down {
		return
	}
	for _, port := range sortedKeys(m.listeners) {
		for _, l := range slices.Clone(m.listeners[port]) {
			if l.host == h {
				l.close()
			}
		}
	}
	for _, port := range sortedKeys(m.sockets) {
		for _, s := range slices.Clone(m.sockets[port]) {
			if s.host == h {
				s.close()
			}
		}
	}
	for _, c := range m.byAge() {
		if c.host == h && !c.orphan {
			c.close()
		}
	}
}

// byAge returns the connections in the order in which they were made.
func (m *machine) byAge() []*conn {
	all := make([]*conn, 0, len(m.conns))
	for _, c := range m.conns {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *conn) int { return int(a.id) - int(b.id) })
	return all
}

func sortedKeys[V any](m map[uint16]V) []uint16 {
	keys := make([]uint16, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// ephemeral returns the next port for which free reports true.
func (m *machine) ephemeral(free func(uint16) bool) (uint16, error) {
	for range lastEphemeral - firstEphemeral + 1 {
		port := m.nextPort
		if m.nextPort++; m.nextPort > lastEphemeral {
			m.nextPort = firstEphemeral
		}
		if free(port) {
			return port, nil
		}
	}
	return 0, syscall.EADDRNOTAVAIL
}

func (m *machine) freeTCP(port uint16) bool {
	return m.inUse[port] == 0 && len(m.listeners[port]) == 0
}

// loop carries a packet around the loopback, in order.
func (m *machine) loop(size int, arrive func()) {
	s := m.stack.sim
	m.loopback = append(m.loopback, departure{s.Cause(), arrive})
	inc := m.node.Inc()
	s.At(m.reserve(size).Add(m.stack.cfg.Loopback), func() { m.node.Do(inc, m.unloop) })
}

func (m *machine) unloop() {
	next := m.loopback[0]
	m.loopback[0] = departure{}
	m.loopback = m.loopback[1:]
	m.stack.sim.SetCause(next.cause)
	next.leave()
}

// send puts a segment on its way. name is that of its connection.
func (m *machine) send(seg *segment, name string) {
	m.stack.carry(m, seg.to.Addr(), len(seg.data), seg.describe(name), func(to *machine) { to.receive(seg) })
}

// receive is the arrival of a segment.
func (m *machine) receive(seg *segment) {
	if c := m.conns[flow{seg.to, seg.from}]; c != nil {
		c.receive(seg)
		return
	}
	if seg.flags.has(flagRst) || m.receivePast(seg) {
		return
	}
	if seg.flags.has(flagSyn) && !seg.flags.has(flagAck) {
		if l := m.listener(seg.to); l != nil {
			l.syn(seg)
			return
		}
	}
	m.refuse(seg)
}

// refuse answers a segment that belongs to no connection with a reset.
func (m *machine) refuse(seg *segment) {
	rst := &segment{from: seg.to, to: seg.from, flags: flagRst | flagAck, seq: seg.ack, ack: seg.end()}
	name := pair(rst.from, rst.to)
	m.emit(KindRst, name, kernel.Attr{Key: "dir", Value: "sent"})
	m.send(rst, name)
}

// emit records something about the machine and makes it the cause of what follows.
func (m *machine) emit(kind kernel.Kind, text string, attrs ...kernel.Attr) {
	m.stack.sim.Begin(m.node, kind, text, attrs...)
}
