// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
)

// PacketConn is a UDP socket, connected or not. It has the methods of *net.UDPConn
// that do not need a file descriptor or control messages, with the same errors and
// the same rules for concurrent use.
type PacketConn struct {
	s             *socket
	host          *Host
	local, remote net.Addr
	key           string
	closed        atomic.Bool
	timed         atomic.Bool // it has a write deadline
}

var (
	_ net.PacketConn = (*PacketConn)(nil)
	_ net.Conn       = (*PacketConn)(nil)
)

func newPacketConn(h *Host, s *socket) *PacketConn {
	key := "udp " + s.local.String()
	if s.remote.IsValid() {
		key = "udp " + pair(s.local, s.remote)
	}
	return &PacketConn{s: s, host: h, local: udpAddr(s.local), remote: udpAddr(s.remote), key: key}
}

// udpAddr returns the net.Addr of a, or nil if it is no address.
func udpAddr(a netip.AddrPort) net.Addr {
	if !a.IsValid() {
		return nil
	}
	return net.UDPAddrFromAddrPort(a)
}

func (h *Host) dialUDP(ctx context.Context, network, address string) (net.Conn, error) {
	var s *socket
	var remote netip.AddrPort
	err := h.resolveAnd(ctx, network, address, &remote, func(error) {}, func(call *driver.Call, a netip.AddrPort) {
		var err error
		s, err = h.machine.open(h, network, netip.AddrPortFrom(h.machine.source(a.Addr()), 0), a)
		call.Finish(err)
	})
	if err != nil {
		return nil, h.opError(opDial, network, nil, udpAddr(remote), err)
	}
	return newPacketConn(h, s), nil
}

// LocalAddr returns the socket's address, a *net.UDPAddr.
func (p *PacketConn) LocalAddr() net.Addr { return p.local }

// RemoteAddr returns the address that the socket is connected to, a *net.UDPAddr,
// or nil.
func (p *PacketConn) RemoteAddr() net.Addr { return p.remote }

// ReadFrom waits for a datagram. The part of it that b has no room for is lost.
func (p *PacketConn) ReadFrom(b []byte) (int, net.Addr, error) {
	n, from, err := p.read(opReadFrom, b)
	return n, udpAddr(from), err
}

// ReadFromUDPAddrPort is ReadFrom without an allocation for the address.
func (p *PacketConn) ReadFromUDPAddrPort(b []byte) (int, netip.AddrPort, error) {
	return p.read(opReadFrom, b)
}

// ReadFromUDP is ReadFrom with the address as what it is.
func (p *PacketConn) ReadFromUDP(b []byte) (int, *net.UDPAddr, error) {
	n, from, err := p.read(opReadFrom, b)
	if err != nil {
		return n, nil, err
	}
	return n, net.UDPAddrFromAddrPort(from), nil
}

// Read is ReadFrom without the address.
func (p *PacketConn) Read(b []byte) (int, error) {
	n, _, err := p.read(opRead, b)
	return n, err
}

func (p *PacketConn) read(o operation, b []byte) (int, netip.AddrPort, error) {
	op := &packetOp{buf: b}
	err := p.host.proc.Call(p.key, func(call *driver.Call) {
		op.call = call
		p.s.read(op)
	})
	return op.n, op.from, p.wrap(o, p.remote, err)
}

// WriteTo sends a datagram of at most 65,507 bytes to a *net.UDPAddr. That no error
// is returned does not mean that it arrives.
func (p *PacketConn) WriteTo(b []byte, addr net.Addr) (int, error) {
	a, ok := addr.(*net.UDPAddr)
	if !ok || a == nil {
		return 0, &net.OpError{Op: "write", Net: p.s.network, Source: p.local, Addr: addr, Err: syscall.EINVAL}
	}
	return p.WriteToUDP(b, a)
}

// WriteToUDP is WriteTo for an address that is one of UDP.
func (p *PacketConn) WriteToUDP(b []byte, addr *net.UDPAddr) (int, error) {
	ap := addr.AddrPort()
	return p.WriteToUDPAddrPort(b, netip.AddrPortFrom(ap.Addr().Unmap().WithZone(""), ap.Port()))
}

// WriteToUDPAddrPort is WriteTo with an address of package netip.
func (p *PacketConn) WriteToUDPAddrPort(b []byte, to netip.AddrPort) (int, error) {
	if p.s.remote.IsValid() {
		return 0, p.wrap(opWriteTo, udpAddr(to), net.ErrWriteToConnected)
	}
	return p.send(opWriteTo, b, to, p.host.machine.sendable(b, withLoopback(to)))
}

// Write sends a datagram to the address that the socket is connected to.
func (p *PacketConn) Write(b []byte) (int, error) {
	if !p.s.remote.IsValid() {
		return p.send(opWrite, b, p.s.remote, syscall.EDESTADDRREQ)
	}
	return p.send(opWrite, b, p.s.remote, p.host.machine.sendable(b, p.s.remote))
}

// send sends a datagram, unless there is something wrong with it.
func (p *PacketConn) send(op operation, b []byte, to netip.AddrPort, wrong error) (int, error) {
	to = withLoopback(to)
	var err error
	switch {
	case p.closed.Load():
		err = errClosed
	case wrong != nil && !p.timed.Load() && p.host.proc.Alive():
		err = wrong
	case wrong == nil && len(b) > 0 && p.mayPost() && p.s.credit.takeAll(len(b)):
		own := slices.Clone(b)
		p.host.proc.Post(p.key, func() { p.s.writeLater(own, to) })
	default:
		err = p.host.proc.Call(p.key, func(call *driver.Call) { p.s.write(call, b, to, wrong) })
	}
	if err != nil {
		return 0, p.wrap(op, udpAddr(to), err)
	}
	return len(b), nil
}

// mayPost reports whether nothing but a full interface can keep a write from success.
func (p *PacketConn) mayPost() bool {
	return !p.timed.Load() && !p.s.refused.Load() && p.host.proc.Alive()
}

// Close closes the socket. Pending reads return net.ErrClosed.
func (p *PacketConn) Close() error {
	return p.wrap(opClose, p.remote, p.host.closeOnce(p.key, &p.closed, p.s.close))
}

// SetDeadline sets both deadlines. The zero time means none.
func (p *PacketConn) SetDeadline(t time.Time) error {
	p.timed.Store(!t.IsZero())
	return p.change(func() {
		p.s.readDeadline.set(t)
		p.s.writeDeadline.set(t)
	})
}

// SetReadDeadline sets the time at which pending and later reads fail with
// os.ErrDeadlineExceeded.
func (p *PacketConn) SetReadDeadline(t time.Time) error {
	return p.change(func() { p.s.readDeadline.set(t) })
}

// SetWriteDeadline sets the time after which writes fail with
// os.ErrDeadlineExceeded. Writes block only while the node sends more than its
// bandwidth.
func (p *PacketConn) SetWriteDeadline(t time.Time) error {
	p.timed.Store(!t.IsZero())
	return p.change(func() { p.s.writeDeadline.set(t) })
}

// SetReadBuffer sets how many bytes of datagrams may wait to be read, at first
// [Config].UDPBuffer.
func (p *PacketConn) SetReadBuffer(bytes int) error {
	return p.change(func() { p.s.limit = max(bytes, 1) })
}

// SetWriteBuffer has no effect.
func (p *PacketConn) SetWriteBuffer(int) error { return p.change(func() {}) }

// change leaves fn to the driver unless the socket is closed.
func (p *PacketConn) change(fn func()) error {
	err := p.host.change(p.key, &p.closed, fn)
	if err == nil {
		return nil
	}
	return p.host.opError(opSet, p.s.network, nil, p.local, err)
}

func (p *PacketConn) wrap(op operation, addr net.Addr, err error) error {
	if err == nil {
		return nil
	}
	return p.host.opError(op, p.s.network, p.local, addr, err)
}
