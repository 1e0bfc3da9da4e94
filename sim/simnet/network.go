// SPDX-License-Identifier: MPL-2.0

package simnet

import (
	"reflect"
	"strconv"

	"github.com/hmdsefi/gograph"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// Handler receives the messages of a node. The payload is the very value that was
// sent, once per copy delivered: neither side may change it.
type Handler func(from kernel.NodeID, payload any)

// Describer is a payload with a trace text of its own. Other payloads appear as
// the name of their type. The text becomes part of the trace hash, so it must not
// depend on addresses or on the order of a map.
type Describer interface {
	Describe() string
}

// Network connects all nodes of a simulation.
type Network struct {
	sim      *kernel.Sim
	link     LinkConfig
	ports    []*port // by node id
	stats    Stats
	free     []*message // messages for use again
	topology topology
}

// port is the network's side of one node.
type port struct {
	node    *kernel.Node
	handler Handler
	links   []*link // by the id of the receiver; nil until used
	waiting line    // arrived, but not handed over: the node is paused
}

// New returns a network over the nodes that s has or will have. It panics if c is
// not valid.
func New(s *kernel.Sim, c Config) *Network {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	if c.Link == (LinkConfig{}) {
		c.Link = DefaultLink()
	}
	nw := &Network{
		sim:      s,
		link:     c.Link,
		topology: topology{graph: gograph.New[nodeID](gograph.Directed())},
	}
	s.OnCrash(nw.crashed)
	return nw
}

// Handle makes fn receive the messages of n's current incarnation; a later call
// replaces it. A crash removes it, so the boot function is the place for it.
func (nw *Network) Handle(n *kernel.Node, fn Handler) {
	nw.port(n.ID()).handler = fn
}

// Send sends payload from n to the node of that id. Nothing is returned, as on a
// real network: the message arrives, perhaps twice, or it is dropped for a
// [Reason]. A message to the node itself arrives at once and is never lost. A
// node that is down sends nothing.
func (nw *Network) Send(n *kernel.Node, to kernel.NodeID, payload any) {
	m := nw.newMessage(n.ID(), to, describe(payload))
	m.payload, m.size = payload, sizeOf(payload)
	nw.send(n, m)
}

// SendRaw sends a message that is no payload for a [Handler]: when it arrives,
// deliver runs as an event at the receiver, under the same rules and once per
// copy. what is its trace text. A message from or to a node that does not exist is ignored.
// It has DefaultSize; SendRawSize says another size.
func (nw *Network) SendRaw(from, to kernel.NodeID, what string, deliver func()) {
	nw.SendRawSize(from, to, what, DefaultSize, deliver)
}

// SendRawSize is SendRaw for a message of that many bytes, which matters on links
// with a Bandwidth.
func (nw *Network) SendRawSize(from, to kernel.NodeID, what string, size int, deliver func()) {
	n := nw.sim.NodeByID(from)
	if n == nil {
		return
	}
	m := nw.newMessage(from, to, what)
	m.deliver, m.size = deliver, max(0, size)
	nw.send(n, m)
}

func describe(payload any) string {
	if d, ok := payload.(Describer); ok {
		return d.Describe()
	}
	if payload == nil {
		return "nil"
	}
	return reflect.TypeOf(payload).String()
}

// port returns the port of a node, or nil if there is no such node.
func (nw *Network) port(id kernel.NodeID) *port {
	if id < 1 {
		return nil
	}
	if int(id) >= len(nw.ports) {
		nw.grow()
	}
	if int(id) >= len(nw.ports) {
		return nil
	}
	return nw.ports[id]
}

// grow makes ports for the nodes that were added since.
func (nw *Network) grow() {
	if len(nw.ports) == 0 {
		nw.ports = append(nw.ports, nil) // id 0
	}
	for _, n := range nw.sim.Nodes()[len(nw.ports)-1:] {
		nw.ports = append(nw.ports, &port{node: n})
	}
}

// crashed forgets the handler of a dead incarnation and what waited for it.
func (nw *Network) crashed(n *kernel.Node) {
	p := nw.port(n.ID())
	p.handler = nil
	defer nw.sim.SetCause(nw.sim.Cause())
	for p.waiting.len() > 0 {
		m := p.waiting.pop()
		nw.sim.SetCause(m.sent)
		nw.drop(m, Down)
	}
}

func (nw *Network) name(id kernel.NodeID) string {
	if n := nw.sim.NodeByID(id); n != nil {
		return n.Name()
	}
	return "#" + strconv.Itoa(int(id))
}
