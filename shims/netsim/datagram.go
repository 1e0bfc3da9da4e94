// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"net/netip"
	"strconv"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// Datagram is a UDP datagram as an event-style node sees it. Such a node has no
// sockets: it owns all ports of its addresses. Its handler gets each datagram that a
// process sends to it, and [simnet.Network.Send] takes one to a process, with the id
// of the node that To belongs to. It is lost, doubled and delayed like every message.
type Datagram struct {
	From, To netip.AddrPort
	Data     []byte // at most 65,507 bytes, which nobody may change once it is sent
}

// Reply returns a datagram that answers d.
func (d Datagram) Reply(data []byte) Datagram { return Datagram{From: d.To, To: d.From, Data: data} }

// Describe gives the trace text.
func (d Datagram) Describe() string {
	return "udp " + pair(d.From, d.To) + " " + strconv.Itoa(len(d.Data)) + "B"
}

// Size is what it takes on the wire, headers included.
func (d Datagram) Size() int { return len(d.Data) + overhead }

// sendDatagram sends one from the machine. Whether it arrives is the network's business.
func (m *machine) sendDatagram(d Datagram) {
	to := m.stack.machineAt(d.To.Addr(), m)
	if to == nil || to == m || to.hosted {
		m.stack.carry(m, d.To.Addr(), len(d.Data), d.Describe(), func(at *machine) { at.receiveDatagram(d) })
		return
	}
	m.depart(len(d.Data), func() { m.stack.nw.Send(m.node, to.node.ID(), d) })
}

// receiveDatagram is the arrival of one at a machine with sockets.
func (m *machine) receiveDatagram(d Datagram) {
	if s := m.socketFor(d.To, d.From); s != nil {
		s.receive(d)
		return
	}
	what := "icmp " + pair(d.To, d.From) + " port unreachable"
	m.stack.carry(m, d.From.Addr(), 0, what, func(at *machine) { at.portUnreachable(d.From, d.To) })
}

// receiveMessage takes what event-style nodes send to a process: of messages, it
// knows datagrams.
func (m *machine) receiveMessage(_ kernel.NodeID, payload any) {
	if d, ok := payload.(Datagram); ok && len(d.Data) <= maxDatagram {
		m.receiveDatagram(d)
		return
	}
	m.emit(simnet.KindDrop, "not a datagram", kernel.Attr{Key: "reason", Value: simnet.NoHandler.String()})
}
