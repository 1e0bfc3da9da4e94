// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"net/netip"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
)

// maxDatagram is the largest payload of a UDP datagram.
const maxDatagram = 65507

// packetOp is a ReadFrom that waits.
type packetOp struct {
	call *driver.Call
	buf  []byte
	n    int
	from netip.AddrPort
}

// socket is the machine's side of a [PacketConn].
type socket struct {
	machine       *machine
	host          *Host
	network       string
	local, remote netip.AddrPort // remote is valid if the socket is connected
	queue         []Datagram     // that wait to be read
	size, limit   int            // bytes in queue, and how many there may be
	readers       []*packetOp
	refused       atomic.Bool // the remote port is closed; told once
	credit        credit      // for writes that do not wait
	closed        bool

	readDeadline, writeDeadline deadline
}

// open opens a socket; port 0 means an ephemeral one.
func (m *machine) open(h *Host, network string, local, remote netip.AddrPort) (*socket, error) {
	if !m.own(local.Addr()) && !local.Addr().IsUnspecified() {
		return nil, syscall.EADDRNOTAVAIL
	}
	if local.Port() == 0 {
		port, err := m.ephemeral(func(port uint16) bool { return len(m.sockets[port]) == 0 })
		if err != nil {
			return nil, err
		}
		local = netip.AddrPortFrom(local.Addr(), port)
	}
	for _, s := range m.sockets[local.Port()] {
		if overlap(s.local.Addr(), local.Addr()) {
			return nil, syscall.EADDRINUSE
		}
	}
	s := &socket{machine: m, host: h, network: network, local: local, remote: remote, limit: m.stack.cfg.UDPBuffer}
	s.credit.giveBack(m.stack.cfg.UDPBuffer)
	s.readDeadline.init(m.node, func() { s.failReaders(os.ErrDeadlineExceeded) })
	s.writeDeadline.init(m.node, func() {})
	m.sockets[local.Port()] = append(m.sockets[local.Port()], s)
	return s, nil
}

// socketFor returns the socket that takes datagrams for the address, or nil. A
// connected socket takes none but from its remote address.
func (m *machine) socketFor(to, from netip.AddrPort) *socket {
	for _, s := range m.sockets[to.Port()] {
		if covers(s.local.Addr(), to.Addr()) && (!s.remote.IsValid() || s.remote == from) {
			return s
		}
	}
	return nil
}

// maxQueue is how long datagrams may wait for the interface before writes block.
const maxQueue = time.Millisecond

// write handles a Write call. It blocks while too many packets wait, so that a flood
// takes virtual time.
func (s *socket) write(call *driver.Call, b []byte, to netip.AddrPort, wrong error) {
	if err := s.writeError(wrong); err != nil {
		call.Finish(err)
		return
	}
	s.send(slices.Clone(b), to)
	if call.Inline() {
		call.Finish(nil)
		return
	}
	s.whenUncongested(func() { call.Finish(nil) })
}

// writeLater handles a write that has its credit already and whose caller has gone
// on. It owns b.
func (s *socket) writeLater(b []byte, to netip.AddrPort) {
	if !s.closed {
		s.send(b, to)
		s.whenUncongested(func() { s.credit.giveBack(len(b)) })
	}
}

func (s *socket) whenUncongested(fn func()) {
	if wait := s.machine.congestion() - maxQueue; wait > 0 {
		s.machine.stack.sim.After(wait, fn)
	} else {
		fn()
	}
}

// writeError returns why no datagram can be sent now, or nil. wrong is what is wrong with
// the datagram itself.
func (s *socket) writeError(wrong error) error {
	switch {
	case s.closed:
		return errClosed
	case s.writeDeadline.expired:
		return os.ErrDeadlineExceeded
	case wrong != nil:
		return wrong
	case s.refused.Swap(false):
		return syscall.ECONNREFUSED
	}
	return nil
}

// sendable returns why a datagram cannot be sent from the machine, or nil. It is safe
// on any goroutine.
func (m *machine) sendable(b []byte, to netip.AddrPort) error {
	switch {
	case len(b) > maxDatagram:
		return syscall.EMSGSIZE
	case to.Port() == 0:
		return syscall.EINVAL
	}
	return reachable(to.Addr(), m)
}

// send sends a datagram, and owns b.
func (s *socket) send(b []byte, to netip.AddrPort) {
	from := s.local
	if from.Addr().IsUnspecified() {
		from = netip.AddrPortFrom(s.machine.source(to.Addr()), from.Port())
	}
	s.machine.sendDatagram(Datagram{From: from, To: to, Data: b})
}

// portUnreachable tells a connected socket that nobody has the remote port.
func (m *machine) portUnreachable(local, remote netip.AddrPort) {
	if s := m.socketFor(local, remote); s != nil && s.remote == remote {
		s.refused.Store(true)
		s.serve()
	}
}

func (s *socket) receive(d Datagram) {
	name := pair(d.From, s.local)
	if s.size+len(d.Data) > s.limit {
		s.machine.emit(KindOverflow, name, count("bytes", len(d.Data)))
		return
	}
	s.machine.emit(KindDatagram, name, count("bytes", len(d.Data)))
	s.queue = append(s.queue, d)
	s.size += len(d.Data)
	s.serve()
}

// read handles a ReadFrom call.
func (s *socket) read(op *packetOp) {
	if err, done := s.readResult(op); done {
		op.call.Finish(err)
	} else {
		s.readers = append(s.readers, op)
	}
}

// readResult reads a datagram into op, or returns why none will come. It reports
// false if op has to wait. What does not fit into the buffer is lost.
func (s *socket) readResult(op *packetOp) (error, bool) {
	switch {
	case s.closed:
		return errClosed, true
	case s.readDeadline.expired:
		return os.ErrDeadlineExceeded, true
	case len(s.queue) > 0:
		d := s.queue[0]
		s.queue = s.queue[1:]
		s.size -= len(d.Data)
		op.n, op.from = copy(op.buf, d.Data), d.From
		return nil, true
	case s.refused.Swap(false):
		return syscall.ECONNREFUSED, true
	}
	return nil, false
}

func (s *socket) serve() {
	for len(s.readers) > 0 {
		op := s.readers[0]
		if op.call.Pending() {
			err, done := s.readResult(op)
			if !done {
				return
			}
			op.call.Finish(err)
		}
		s.readers = s.readers[1:]
	}
}

func (s *socket) failReaders(err error) {
	waiting := s.readers
	s.readers = nil
	for _, op := range waiting {
		op.call.Finish(err)
	}
}

func (s *socket) close() {
	s.closed = true
	s.readDeadline.timer.stop()
	s.writeDeadline.timer.stop()
	m, port := s.machine, s.local.Port()
	m.sockets[port] = slices.DeleteFunc(m.sockets[port], func(o *socket) bool { return o == s })
	if len(m.sockets[port]) == 0 {
		delete(m.sockets, port)
	}
	s.failReaders(errClosed)
}
