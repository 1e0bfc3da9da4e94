// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"context"
	"net"
	"net/netip"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
)

// Host is the network of one incarnation of a process, in place of the functions of
// package net. Its methods may be called from any goroutine of the bubble.
type Host struct {
	proc    *driver.Proc
	machine *machine
}

// Name returns the host name: the name of the node.
func (h *Host) Name() string { return h.machine.node.Name() }

// IP returns the IPv4 address of the node.
func (h *Host) IP() netip.Addr { return IP(h.machine.node.ID()) }

// Addr returns "name:port" for a port of this host, the address at which other
// processes reach it.
func (h *Host) Addr(port string) string { return net.JoinHostPort(h.Name(), port) }

// LookupHost returns the addresses of a node, of localhost or of a literal, IPv4
// first. The error is a *net.DNSError, and IsNotFound is true.
func (h *Host) LookupHost(ctx context.Context, host string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, &net.DNSError{Err: contextError(ctx).Error(), Name: host, IsTimeout: err == context.DeadlineExceeded}
	}
	var names []string
	err := h.proc.Call("lookup "+host, func(call *driver.Call) {
		addrs, err := h.machine.lookup(host)
		for _, a := range addrs {
			names = append(names, a.String())
		}
		call.Finish(err)
	})
	if err == driver.ErrGone {
		err = &net.DNSError{UnwrapErr: goneError{context.Cause(h.proc.Context())}, Err: "the process is gone", Name: host}
	}
	return names, err
}

// Dial connects to an address on a network, which is tcp, tcp4, tcp6, udp, udp4 or
// udp6. The address is "host:port"; the host is the name of a node, localhost, or an
// address, and an empty one is the node itself.
//
// TCP: a port on which nobody listens gives syscall.ECONNREFUSED, a node that does
// not answer syscall.ETIMEDOUT, an address of no node syscall.EHOSTUNREACH, and an
// address outside the simulated network syscall.ENETUNREACH, each in a *net.OpError.
func (h *Host) Dial(network, address string) (net.Conn, error) {
	return h.DialContext(context.Background(), network, address)
}

// DialTimeout is Dial with a limit on the time that it takes.
func (h *Host) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return h.DialContext(ctx, network, address)
}

// DialContext is Dial that ends with an error when ctx does. Once connected, the
// end of ctx does not affect the connection.
func (h *Host) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	switch networks[network].transport {
	case "tcp":
		return h.dialTCP(ctx, network, address)
	case "udp":
		return h.dialUDP(ctx, network, address)
	}
	return nil, &net.OpError{Op: "dial", Net: network, Err: net.UnknownNetworkError(network)}
}

// Listen opens a TCP listener on the network tcp, tcp4 or tcp6. The address is
// "host:port"; an empty host means all addresses of the node, and port 0 an
// ephemeral port. The result is a *[Listener].
func (h *Host) Listen(network, address string) (net.Listener, error) {
	l := &Listener{host: h}
	addr, err := h.bind(network, "tcp", address, func(a netip.AddrPort) (netip.AddrPort, error) {
		var err error
		if l.l, err = h.machine.listen(h, network, a); err != nil {
			return a, err
		}
		return l.l.addr, nil
	})
	if err != nil {
		return nil, h.opError(opListen, network, nil, tcpAddr(addr), err)
	}
	l.addr = net.TCPAddrFromAddrPort(addr)
	l.key = "tcp " + addr.String()
	return l, nil
}

// ListenPacket opens a UDP socket on the network udp, udp4 or udp6. The address is
// as in Listen. The result is a *[PacketConn].
func (h *Host) ListenPacket(network, address string) (net.PacketConn, error) {
	var s *socket
	addr, err := h.bind(network, "udp", address, func(a netip.AddrPort) (netip.AddrPort, error) {
		var err error
		if s, err = h.machine.open(h, network, a, netip.AddrPort{}); err != nil {
			return a, err
		}
		return s.local, nil
	})
	if err != nil {
		return nil, h.opError(opListen, network, nil, udpAddr(addr), err)
	}
	return newPacketConn(h, s), nil
}

// bind resolves a local address on the driver's goroutine and hands it to open, which
// returns the address that it bound.
func (h *Host) bind(network, transport, address string, open func(netip.AddrPort) (netip.AddrPort, error)) (netip.AddrPort, error) {
	n, ok := networks[network]
	if !ok {
		return netip.AddrPort{}, net.UnknownNetworkError(network)
	}
	host, port, err := parse(network, address)
	if err != nil {
		return netip.AddrPort{}, err
	}
	var bound netip.AddrPort
	err = h.proc.Call("listen "+network+" "+address, func(call *driver.Call) {
		a, err := h.machine.localAddr(host, n.family)
		switch bound = netip.AddrPortFrom(a, port); {
		case err != nil:
		case n.transport != transport:
			err = &net.AddrError{Err: "unexpected address type", Addr: address}
		case toMany(a):
			err = errToMany(a)
		default:
			bound, err = open(bound)
		}
		call.Finish(err)
	})
	return bound, err
}

// localAddr returns the address that a listener's host stands for.
func (m *machine) localAddr(host string, f family) (netip.Addr, error) {
	if host == "" {
		return f.wildcard(), nil
	}
	a, err := m.resolve(host, f)
	if err == nil && a.IsUnspecified() && f != v6 {
		a = f.wildcard()
	}
	return a, err
}

// remoteAddr returns the address that a dialed host stands for.
func (m *machine) remoteAddr(host string, f family) (netip.Addr, error) {
	if host == "" {
		host = "localhost"
	}
	return m.resolve(host, f)
}

// withLoopback replaces a wildcard, which as a destination is the node itself.
func withLoopback(a netip.AddrPort) netip.AddrPort {
	switch {
	case !a.Addr().IsUnspecified():
		return a
	case a.Addr().Is4():
		return netip.AddrPortFrom(loopback4, a.Port())
	}
	return netip.AddrPortFrom(loopback6, a.Port())
}
