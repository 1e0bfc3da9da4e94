// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"net"
	"net/netip"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
)

// listener is the machine's side of a [Listener].
type listener struct {
	machine  *machine
	host     *Host
	network  string
	addr     netip.AddrPort
	half     int     // connections of the backlog whose handshake goes on
	queue    []*conn // connections of the backlog that wait for Accept
	waiters  []*acceptOp
	deadline deadline
	closed   bool
}

// acceptOp is an Accept that waits.
type acceptOp struct {
	call *driver.Call
	conn *conn
}

// listen opens a listener on the address; port 0 means an ephemeral one.
func (m *machine) listen(h *Host, network string, addr netip.AddrPort) (*listener, error) {
	if !m.own(addr.Addr()) && !addr.Addr().IsUnspecified() {
		return nil, syscall.EADDRNOTAVAIL
	}
	if addr.Port() == 0 {
		port, err := m.ephemeral(m.freeTCP)
		if err != nil {
			return nil, err
		}
		addr = netip.AddrPortFrom(addr.Addr(), port)
	}
	for _, l := range m.listeners[addr.Port()] {
		if overlap(l.addr.Addr(), addr.Addr()) {
			return nil, syscall.EADDRINUSE
		}
	}
	l := &listener{machine: m, host: h, network: network, addr: addr}
	l.deadline.init(m.node, func() { l.failWaiters(os.ErrDeadlineExceeded) })
	m.listeners[addr.Port()] = append(m.listeners[addr.Port()], l)
	m.emit(KindListen, addr.String())
	return l, nil
}

// overlap reports whether two local addresses cannot be bound to the same port.
func overlap(a, b netip.Addr) bool { return covers(a, b) || covers(b, a) }

// covers reports whether what is sent to b arrives at a listener that is bound to a.
// The IPv6 wildcard takes IPv4 too.
func covers(a, b netip.Addr) bool {
	return a == b || a.IsUnspecified() && (a.Is6() || b.Is4())
}

// listener returns who listens on the address, the more specific one first.
func (m *machine) listener(to netip.AddrPort) *listener {
	var found *listener
	for _, l := range m.listeners[to.Port()] {
		if l.addr.Addr() == to.Addr() {
			return l
		}
		if covers(l.addr.Addr(), to.Addr()) {
			found = l
		}
	}
	return found
}

// syn begins a connection. With a full backlog the segment is dropped, and the
// dialer tries again until it times out.
func (l *listener) syn(seg *segment) {
	m := l.machine
	if l.half+len(l.queue) >= m.stack.cfg.Backlog {
		return
	}
	c := m.newConn(l.host, "tcp", flow{seg.to, seg.from}, synReceived)
	c.accepter = l
	c.irs = seg.seq
	c.rcvNxt, c.rcvEdge = seg.seq+1, seg.seq+1
	l.half++
	c.launch(flagSyn|flagAck, nil)
}

// ready moves a connection whose handshake is done to where Accept finds it.
func (l *listener) ready(c *conn) {
	l.half--
	for len(l.waiters) > 0 {
		op := l.waiters[0]
		l.waiters = l.waiters[1:]
		if op.call.Pending() {
			op.conn = c
			op.call.Finish(nil)
			return
		}
	}
	l.queue = append(l.queue, c)
}

// accept handles an Accept call.
func (l *listener) accept(op *acceptOp) {
	switch {
	case l.closed:
		op.call.Finish(errClosed)
	case l.deadline.expired:
		op.call.Finish(os.ErrDeadlineExceeded)
	case len(l.queue) > 0:
		op.conn = l.queue[0]
		l.queue = l.queue[1:]
		op.call.Finish(nil)
	default:
		l.waiters = append(l.waiters, op)
	}
}

// close ends the listener and resets its backlog.
func (l *listener) close() {
	l.closed = true
	l.deadline.timer.stop()
	m, port := l.machine, l.addr.Port()
	m.listeners[port] = slices.DeleteFunc(m.listeners[port], func(o *listener) bool { return o == l })
	if len(m.listeners[port]) == 0 {
		delete(m.listeners, port)
	}
	l.failWaiters(errClosed)
	for _, c := range l.queue {
		c.abort()
	}
	l.queue = nil
	for _, c := range m.byAge() {
		if c.accepter == l {
			c.abort()
		}
	}
}

func (l *listener) failWaiters(err error) {
	waiting := l.waiters
	l.waiters = nil
	for _, op := range waiting {
		op.call.Finish(err)
	}
}

// Listener is a TCP listener with the methods of *net.TCPListener that do not need a
// file descriptor.
type Listener struct {
	l    *listener
	host *Host
	addr *net.TCPAddr
	key  string

	closed atomic.Bool
}

var _ net.Listener = (*Listener)(nil)

// Accept waits for the next connection. It returns net.ErrClosed after Close, and
// os.ErrDeadlineExceeded at the deadline.
func (l *Listener) Accept() (net.Conn, error) {
	op := &acceptOp{}
	err := l.host.proc.Call(l.key, func(call *driver.Call) {
		op.call = call
		l.l.accept(op)
	})
	if err != nil {
		return nil, l.wrap(opAccept, err)
	}
	return newTCPConn(l.host, op.conn), nil
}

// Close ends listening and resets connections that were not accepted yet. Pending
// Accepts return net.ErrClosed.
func (l *Listener) Close() error {
	return l.wrap(opClose, l.host.closeOnce(l.key, &l.closed, l.l.close))
}

// SetDeadline sets the time at which pending and later Accepts fail with
// os.ErrDeadlineExceeded. The zero time means never.
func (l *Listener) SetDeadline(t time.Time) error {
	return l.host.change(l.key, &l.closed, func() { l.l.deadline.set(t) })
}

// Addr returns the listener's address, a *net.TCPAddr.
func (l *Listener) Addr() net.Addr { return l.addr }

func (l *Listener) wrap(op operation, err error) error {
	if err == nil {
		return nil
	}
	return l.host.opError(op, l.l.network, nil, l.addr, err)
}
