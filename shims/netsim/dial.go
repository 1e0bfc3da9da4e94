// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"context"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
)

// unreachableAfter is how long it takes to learn that no node has an address.
const unreachableAfter = 3 * time.Second

// dialOp is a TCP dial that goes on.
type dialOp struct {
	call  *driver.Call // nil until it has begun
	conn  *conn
	ended error // the context ended before the dial began
}

func (h *Host) dialTCP(ctx context.Context, network, address string) (net.Conn, error) {
	op := &dialOp{}
	var remote netip.AddrPort
	err := h.resolveAnd(ctx, network, address, &remote, op.cancel, func(call *driver.Call, a netip.AddrPort) {
		op.call = call
		if op.ended != nil {
			call.Finish(op.ended)
			return
		}
		h.machine.dial(h, network, a, op)
	})
	if err != nil {
		return nil, h.opError(opDial, network, nil, tcpAddr(remote), err)
	}
	return newTCPConn(h, op.conn), nil
}

// resolveAnd resolves a remote address on the driver's goroutine and hands it to
// start. When ctx ends first, cancel runs there. As soon as the address is known, it
// is in remote.
func (h *Host) resolveAnd(ctx context.Context, network, address string, remote *netip.AddrPort,
	cancel func(error), start func(*driver.Call, netip.AddrPort)) error {
	if address == "" {
		return &net.AddrError{Err: "missing address"}
	}
	host, port, err := parse(network, address)
	if err != nil {
		return err
	}
	if a, err := netip.ParseAddr(host); err == nil && networks[network].family.accepts(a) {
		*remote = netip.AddrPortFrom(a, port)
	}
	if ctx.Err() != nil {
		return contextError(ctx)
	}
	key := "dial " + network + " " + address
	stop := context.AfterFunc(ctx, func() {
		h.proc.Post(key, func() { cancel(contextError(ctx)) })
	})
	defer stop()
	return h.proc.Call(key, func(call *driver.Call) {
		a, err := h.machine.remoteAddr(host, networks[network].family)
		if err == nil {
			*remote = withLoopback(netip.AddrPortFrom(a, port))
			err = reachable(remote.Addr(), h.machine)
		}
		if err != nil {
			call.Finish(err)
			return
		}
		start(call, *remote)
	})
}

// reachable returns why nothing can be sent to an address.
func reachable(a netip.Addr, m *machine) error {
	if toMany(a) {
		return errToMany(a)
	}
	if _, ok := nodeOf(a); !ok && !m.own(a) {
		return syscall.ENETUNREACH
	}
	return nil
}

// toMany reports whether an address stands for more than one receiver.
func toMany(a netip.Addr) bool {
	return a.IsMulticast() || a == netip.AddrFrom4([4]byte{255, 255, 255, 255})
}

func errToMany(a netip.Addr) error {
	return &net.AddrError{Err: "multicast and broadcast are not simulated", Addr: a.String()}
}

// dial begins a connection.
func (m *machine) dial(h *Host, network string, to netip.AddrPort, op *dialOp) {
	if m.stack.machineAt(to.Addr(), m) == nil {
		m.stack.sim.After(unreachableAfter, func() { op.call.Finish(syscall.EHOSTUNREACH) })
		return
	}
	port, err := m.ephemeral(m.freeTCP)
	if err != nil {
		op.call.Finish(err)
		return
	}
	local := netip.AddrPortFrom(m.source(to.Addr()), port)
	c := m.newConn(h, network, flow{local, to}, synSent)
	m.emit(KindSyn, c.name)
	op.conn, c.dialer = c, op.call
	op.call.OnAbort(c.forget)
	c.launch(flagSyn, nil)
}

// cancel ends the dial because its context ended.
func (op *dialOp) cancel(err error) {
	op.ended = err
	if op.call == nil || !op.call.Pending() {
		return
	}
	if op.conn != nil {
		op.conn.dialer = nil
		op.conn.forget()
	}
	op.call.Finish(err)
}
