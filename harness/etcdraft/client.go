// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/hmdsefi/faultline/sim/history"
	"github.com/hmdsefi/faultline/sim/kernel"
)

const (
	tryTimeout = 700 * time.Millisecond // until a client asks another server
	opTimeout  = 5 * time.Second        // until it gives up
)

// client sends one operation at a time, asks another server when it gets no answer,
// and records what it saw in the world's history.
type client struct {
	*Cluster
	name string
	node *kernel.Node
	rand *rand.Rand

	seq      uint64
	server   int // index of the server that answered last
	current  request
	id       int // of the operation in the history; 0 while there is none
	deadline kernel.Time
	retry    kernel.Timer
}

// Value is the input of an operation in the history, and, of a get, the output.
type Value struct {
	Key   string `json:"key"`
	Value string `json:"value,omitempty"`
}

func (c *Cluster) addClients() {
	for i := range c.config.Clients {
		name := "c" + strconv.Itoa(i+1)
		cl := &client{Cluster: c, name: name, rand: c.world.Rand(name)}
		c.clients = append(c.clients, cl)
		c.world.AddClient(name, func(n *kernel.Node) {
			cl.node = n
			cl.id = 0 // a restarted client has forgotten what it asked
			c.world.Net.Handle(n, cl.receive)
			cl.think()
		})
	}
}

func (c *client) think() {
	d := kernel.UniformDuration(c.rand, 0, 2*c.config.Think)
	if c.world.Sim.Now().Add(d) < c.quiet() {
		c.node.After(d, c.begin)
	}
}

// begin starts the next operation: a put or a get of a random key.
func (c *client) begin() {
	c.seq++
	command := command{Client: c.name, Seq: c.seq, Op: opGet}
	command.Key = "k" + strconv.FormatInt(kernel.Uniform(c.rand, 1, int64(c.config.Keys)), 10)
	if kernel.Chance(c.rand, 500_000) {
		command.Op = opPut
		command.Value = c.name + "-" + strconv.FormatUint(c.seq, 10)
	}
	index := kernel.Chance(c.rand, 500_000)
	switch c.config.Reads {
	case ReadIndex, ReadPatient:
		index = true
	case ReadLog:
		index = false
	}
	c.current = request{command: command, index: index}
	c.id = c.world.History.Invoke(c.name, command.Op, Value{command.Key, command.Value})
	c.deadline = c.world.Sim.Now().Add(opTimeout)
	c.try()
}

func (c *client) try() {
	c.current.try++
	c.world.Net.Send(c.node, c.servers[c.server].node.ID(), c.current)
	c.retry = c.node.After(tryTimeout, c.again)
}

// again asks the next server, or gives up.
func (c *client) again() {
	if c.world.Sim.Now() >= c.deadline {
		c.end(history.Info, nil)
		return
	}
	c.server = int(kernel.Uniform(c.rand, 0, int64(len(c.servers)-1)))
	c.try()
}

func (c *client) receive(_ kernel.NodeID, payload any) {
	a, ok := payload.(reply)
	switch {
	case !ok || c.id == 0 || a.seq != c.seq:
		return
	case a.done:
		c.node.Cancel(c.retry)
		c.succeed(a.value)
	case a.try == c.current.try: // refused: ask another server soon
		c.node.Cancel(c.retry)
		c.retry = c.node.After(kernel.UniformDuration(c.rand, 10*time.Millisecond, 100*time.Millisecond), c.again)
	}
}

func (c *client) succeed(value string) {
	if c.current.Op == opPut {
		c.audit.acks = append(c.audit.acks, c.current.command)
		c.end(history.OK, nil)
		return
	}
	c.end(history.OK, Value{c.current.Key, value})
}

func (c *client) end(status history.Status, output any) {
	if c.current.Op == opGet && status == history.Info {
		status = history.Fail // a get that was not answered has done nothing
	}
	c.world.History.Complete(c.id, status, output)
	c.id = 0
	c.think()
}
