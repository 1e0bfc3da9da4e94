// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"io"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
)

// errClosed is what pending operations of a closed connection, listener or socket
// get.
var errClosed = net.ErrClosed

// ioOp is a Read or Write that waits. The buffer belongs to the caller, who waits
// too.
type ioOp struct {
	call *driver.Call // nil: a write whose caller does not wait; the buffer is ours
	buf  []byte
	n    int
}

// Conn is a TCP connection. It has the methods of *net.TCPConn that do not need a
// file descriptor, with the same errors and the same rules for concurrent use, save
// ReadFrom and WriteTo, which only spare a copy, and SetKeepAliveConfig.
type Conn struct {
	c             *conn
	host          *Host
	local, remote *net.TCPAddr
	key           string
	closed        atomic.Bool
	timed         atomic.Bool // it has a write deadline
}

var _ net.Conn = (*Conn)(nil)

func newTCPConn(h *Host, c *conn) *Conn {
	return &Conn{
		c: c, host: h,
		local: net.TCPAddrFromAddrPort(c.local), remote: net.TCPAddrFromAddrPort(c.remote),
		key: "tcp " + c.name,
	}
}

// LocalAddr returns the address of this end, a *net.TCPAddr.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the address of the other end, a *net.TCPAddr.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// Read waits for data, the peer's end of stream (io.EOF), an error or the read
// deadline (os.ErrDeadlineExceeded).
func (c *Conn) Read(b []byte) (int, error) {
	op := &ioOp{buf: b}
	err := c.host.proc.Call(c.key, func(call *driver.Call) {
		op.call = call
		c.c.read(op)
	})
	return op.n, c.wrap(opRead, err)
}

// Write copies b into the send buffer. It waits only as long as the buffer has no room
// for all of it. That no error is returned does not mean that the peer gets the data.
func (c *Conn) Write(b []byte) (int, error) {
	if len(b) > 0 && c.mayPost() && c.c.credit.takeAll(len(b)) {
		own := slices.Clone(b)
		c.host.proc.Post(c.key, func() { c.c.writeLater(own) })
		return len(b), nil
	}
	op := &ioOp{buf: b}
	err := c.host.proc.Call(c.key, func(call *driver.Call) {
		op.call = call
		c.c.write(op)
	})
	return op.n, c.wrap(opWrite, err)
}

// mayPost reports whether nothing but a full buffer can keep a write from success.
func (c *Conn) mayPost() bool {
	return !c.closed.Load() && !c.timed.Load() && c.host.proc.Alive()
}

// Close ends both directions and every pending Read and Write, which return
// net.ErrClosed. Data that was written before is still delivered, unless received
// data is unread or SetLinger(0) was called: then the peer gets a reset.
func (c *Conn) Close() error {
	return c.wrap(opClose, c.host.closeOnce(c.key, &c.closed, c.c.close))
}

// CloseRead ends waiting for data: a read that would have to wait returns io.EOF, also
// one that is pending. As on Linux, the peer is told nothing, and what it sends can still
// be read.
func (c *Conn) CloseRead() error { return c.shutdown(c.c.closeRead) }

// CloseWrite ends writing: the peer reads io.EOF after everything that was written.
func (c *Conn) CloseWrite() error {
	c.c.credit.broken.Store(true)
	return c.shutdown(c.c.finish)
}

// shutdown is change for the end of one direction.
func (c *Conn) shutdown(fn func()) error {
	if !c.closed.Load() && c.host.proc.Alive() && c.c.over.Load() {
		return c.wrap(opShutdown, syscall.ENOTCONN)
	}
	return c.change(opShutdown, fn)
}

// SetDeadline sets both deadlines. The zero time means none.
func (c *Conn) SetDeadline(t time.Time) error {
	c.timed.Store(!t.IsZero())
	return c.change(opSet, func() {
		c.c.readDeadline.set(t)
		c.c.writeDeadline.set(t)
	})
}

// SetReadDeadline sets the time at which pending and later reads fail with
// os.ErrDeadlineExceeded.
func (c *Conn) SetReadDeadline(t time.Time) error {
	return c.change(opSet, func() { c.c.readDeadline.set(t) })
}

// SetWriteDeadline sets the time at which pending and later writes fail with
// os.ErrDeadlineExceeded.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.timed.Store(!t.IsZero())
	return c.change(opSet, func() { c.c.writeDeadline.set(t) })
}

// SetKeepAlive turns probes of the idle connection on or off. They are on at first
// if [Config].KeepAlive is.
func (c *Conn) SetKeepAlive(on bool) error {
	return c.change(opOption, func() {
		d := time.Duration(0)
		if on {
			d = c.c.cfg().KeepAlive
		}
		c.c.setKeepAlive(d)
	})
}

// SetKeepAlivePeriod sets the idle time before and between probes and turns them on.
func (c *Conn) SetKeepAlivePeriod(d time.Duration) error {
	return c.change(opOption, func() { c.c.setKeepAlive(d) })
}

// SetLinger with 0 makes Close discard unsent data and reset the connection. Other
// values have no effect: Close never blocks.
func (c *Conn) SetLinger(sec int) error {
	return c.change(opOption, func() { c.c.lingers = sec == 0 })
}

// SetNoDelay has no effect: small segments are never held back.
func (c *Conn) SetNoDelay(bool) error { return c.ignore(opOption) }

// SetReadBuffer has no effect: the size is [Config].Window.
func (c *Conn) SetReadBuffer(int) error { return c.ignore(opSet) }

// SetWriteBuffer has no effect: the size is [Config].SendBuffer.
func (c *Conn) SetWriteBuffer(int) error { return c.ignore(opSet) }

func (c *Conn) ignore(op operation) error {
	if c.closed.Load() {
		return c.wrap(op, errClosed)
	}
	return nil
}

// change leaves fn to the driver unless the connection is closed.
func (c *Conn) change(op operation, fn func()) error {
	return c.wrap(op, c.host.change(c.key, &c.closed, fn))
}

func (c *Conn) wrap(op operation, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if op.oneEnd {
		return c.host.opError(op, c.c.network, nil, c.local, err)
	}
	return c.host.opError(op, c.c.network, c.local, c.remote, err)
}

// tcpAddr returns the net.Addr of a, or nil if it is no address.
func tcpAddr(a netip.AddrPort) net.Addr {
	if !a.IsValid() {
		return nil
	}
	return net.TCPAddrFromAddrPort(a)
}
