// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// state is where a connection stands in its life.
type state uint8

const (
	synSent     state = iota // we sent a SYN
	synReceived              // we answered one
	established              // data flows, or did until both sides sent a FIN
	closed                   // forgotten by the machine
)

// orphanLife is how long a connection that its process has closed waits for the
// peer's FIN.
const orphanLife = 60 * time.Second

// conn is the machine's side of a TCP connection. Package users hold a [Conn].
type conn struct {
	machine *machine
	host    *Host
	id      uint64
	network string
	flow
	name     string // "local>remote"
	state    state
	err      syscall.Errno // why it ended, if not by two FINs
	reported bool          // err was returned to somebody; nobody gets it again, as from a real socket
	dialer   *driver.Call  // waits for the handshake
	accepter *listener     // whose backlog it is in until it is established

	sender
	receiver

	over     atomic.Bool // both directions have ended, or the connection has failed
	orphan   bool        // the process has closed it
	lingers  bool        // SetLinger(0): close with a reset
	life     timer
	interval time.Duration // between keep-alive probes; not positive: none
	checkAt  kernel.Time   // when the next one may be due; 0: never
	probes   int           // keep-alive probes without an answer
	heard    kernel.Time   // when the last segment came
}

// newConn enters a connection into the machine's table.
func (m *machine) newConn(h *Host, network string, f flow, s state) *conn {
	m.stack.lastConn++
	c := &conn{
		machine: m, host: h, id: m.stack.lastConn, network: network,
		flow: f, name: pair(f.local, f.remote), state: s,
		interval: m.stack.cfg.KeepAlive,
	}
	c.sender.init(c)
	c.receiver.init(c)
	c.life.init(m.node, c.forget)
	m.conns[f] = c
	m.inUse[f.local.Port()]++
	return c
}

func (c *conn) now() kernel.Time { return c.machine.stack.sim.Now() }
func (c *conn) cfg() *Config     { return &c.machine.stack.cfg }

// receive handles a segment of the connection.
func (c *conn) receive(seg *segment) {
	c.heard = c.now()
	c.probes = 0
	if c.state == synSent {
		c.receiveHandshake(seg)
		return
	}
	switch {
	case seg.flags.has(flagRst):
		c.receiveReset(seg)
		return
	case seg.flags.has(flagSyn):
		c.receiveSyn(seg)
		return
	case !seg.flags.has(flagAck) || seg.ack > c.nxt:
		c.ackNow = true
	default:
		c.receiveAck(seg)
		if c.state == closed {
			return
		}
		c.receiveData(seg)
	}
	if c.state == closed {
		return
	}
	c.ackNow = c.ackNow || seg.flags.has(flagProbe)
	c.push()
	c.settle()
}

// receiveHandshake handles a segment while the dialer waits for the peer's SYN.
func (c *conn) receiveHandshake(seg *segment) {
	if !seg.flags.has(flagAck) || seg.ack != c.nxt {
		if seg.flags.has(flagAck) && !seg.flags.has(flagRst) {
			c.machine.refuse(seg) // a half-open connection of an earlier life
		}
		return
	}
	switch {
	case seg.flags.has(flagRst):
		c.machine.emit(KindRst, c.name, received)
		c.fail(syscall.ECONNREFUSED)
	case seg.flags.has(flagSyn):
		c.rcvNxt, c.rcvEdge = seg.seq+1, seg.seq+1
		c.irs = seg.seq
		c.acked(seg.ack)
		c.edge = seg.ack + uint64(seg.window)
		c.establish()
		c.sendAck()
	}
}

// receiveSyn handles a SYN on a connection that has one: a copy, whose answer may
// have been lost, or the first segment of a peer that has forgotten us. That one
// answers our acknowledgement with a reset.
func (c *conn) receiveSyn(seg *segment) {
	if c.state == synReceived && seg.seq == c.irs && !seg.flags.has(flagAck) {
		c.resendFirst()
		return
	}
	c.sendAck()
}

var (
	sent     = kernel.Attr{Key: "dir", Value: "sent"}
	received = kernel.Attr{Key: "dir", Value: "received"}
)

func (c *conn) receiveReset(seg *segment) {
	if seg.seq < c.rcvNxt || seg.seq > c.rcvEdge+1 { // a FIN may lie beyond the window
		return
	}
	c.machine.emit(KindRst, c.name, received)
	if c.rcvFin {
		c.fail(syscall.EPIPE)
	} else {
		c.fail(syscall.ECONNRESET)
	}
}

// establish ends the handshake on this side.
func (c *conn) establish() {
	c.state = established
	c.machine.emit(KindEstablished, c.name)
	c.watch()
	if c.dialer != nil {
		c.dialer.Finish(nil)
		c.dialer = nil
	}
	if c.accepter != nil {
		c.accepter.ready(c)
		c.accepter = nil
	}
}

// settle forgets the connection once both directions have ended and the process has
// closed it. There is no TIME_WAIT: sequence numbers are never used twice, and what
// is [past] answers late segments.
func (c *conn) settle() {
	if c.finAcked && c.rcvFin {
		c.over.Store(true)
	}
	if c.state != established || !c.orphan || !c.finAcked {
		return
	}
	if c.rcvFin {
		c.forget()
		c.machine.remember(c)
	} else if !c.life.armed {
		c.life.set(orphanLife)
	}
}

// fail ends the connection with an error. What arrived before can still be read.
func (c *conn) fail(err syscall.Errno) {
	c.err = err
	l := c.accepter
	c.forget()
	if l != nil {
		l.half--
	}
	if c.dialer != nil {
		c.dialer.Finish(err)
		c.dialer = nil
	}
	c.serveReaders()
	if len(c.writers) > 0 {
		c.failWriters(c.writeError())
	}
}

// abort ends the connection with a reset to the peer.
func (c *conn) abort() {
	if c.state != closed {
		c.machine.emit(KindRst, c.name, sent)
		c.machine.send(&segment{
			from: c.local, to: c.remote, flags: flagRst | flagAck, seq: c.nxt, ack: c.rcvNxt,
		}, c.name)
	}
	c.fail(syscall.ECONNRESET)
}

// forget takes the connection out of the machine's table.
func (c *conn) forget() {
	if c.state == closed {
		return
	}
	c.state = closed
	c.over.Store(true)
	c.credit.broken.Store(true)
	c.checkAt = 0
	c.accepter = nil
	c.stopTimers()
	m := c.machine
	delete(m.conns, c.flow)
	if m.inUse[c.local.Port()]--; m.inUse[c.local.Port()] == 0 {
		delete(m.inUse, c.local.Port())
	}
}

func (c *conn) stopTimers() {
	c.retransmission.stop()
	c.delayedAck.stop()
	c.life.stop()
	c.readDeadline.timer.stop()
	c.writeDeadline.timer.stop()
}

// close is the process's Close.
func (c *conn) close() {
	c.orphan = true
	c.readDeadline.timer.stop()
	c.writeDeadline.timer.stop()
	c.failReaders(errClosed)
	c.failWriters(errClosed)
	if c.state == closed {
		return
	}
	c.checkAt = 0
	if c.lingers || c.unread() {
		c.abort()
		return
	}
	c.finish()
	c.settle()
}

// finish queues a FIN behind everything that was written.
func (c *conn) finish() {
	if !c.finWanted {
		c.finWanted = true
		c.push()
	}
}

func (c *conn) timeOut() {
	c.machine.emit(KindTimeout, c.name)
	c.fail(syscall.ETIMEDOUT)
}

// transmit sends a segment with the present acknowledgement and window.
func (c *conn) transmit(f flags, seq uint64, data []byte) {
	seg := &segment{from: c.local, to: c.remote, flags: f, seq: seq, data: data}
	if f.has(flagAck) {
		seg.ack, seg.window = c.acknowledge()
	}
	c.machine.send(seg, c.name)
}

func (c *conn) sendAck() { c.transmit(flagAck, c.nxt, nil) }

func count(key string, n int) kernel.Attr { return kernel.Attr{Key: key, Value: strconv.Itoa(n)} }
