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
	err := h.resolveAnd(ctx, "dial "+network+" "+address, network, address, op.cancel, func(call *driver.Call, a netip.AddrPort) {
		remote = a
		op.call = call
		if op.ended != nil {
			call.Finish(op.ended)
			return
		}
		h.machine.dial(h, network, a, op)
	})
	if err != nil {
		return nil, h.opError("dial", network, nil, tcpAddr(remote), err)
	}
	return newTCPConn(h, op.conn), nil
}

// resolveAnd resolves a remote address on the driver's goroutine and hands it to
// start. When ctx ends first, cancel runs there.
func (h *Host) resolveAnd(ctx context.Context, key, network, address string, cancel func(error),
	start func(*driver.Call, netip.AddrPort)) error {
	if ctx.Err() != nil {
		return contextError(ctx)
	}
	host, port, err := parse(network, address)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		h.proc.Post(key, func() { cancel(contextError(ctx)) })
	})
	defer stop()
	return h.proc.Call(key, func(call *driver.Call) {
		a, err := h.machine.remoteAddr(host, networks[network].family)
		if err == nil {
			err = reachable(a, h.machine)
		}
		if err != nil {
			call.Finish(err)
			return
		}
		start(call, netip.AddrPortFrom(a, port))
	})
}

// reachable returns why nothing can be sent to an address.
func reachable(a netip.Addr, m *machine) error {
	if a.IsMulticast() || a == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
		return &net.AddrError{Err: "multicast and broadcast are not simulated", Addr: a.String()}
	}
	if _, ok := nodeOf(a); !ok && !m.own(a) {
		return syscall.ENETUNREACH
	}
	return nil
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
