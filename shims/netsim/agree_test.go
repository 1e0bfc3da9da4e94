// SPDX-License-Identifier: MPL-2.0

package netsim_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/netsim"
)

// network is what package net and a Host have in common.
type network interface {
	Listen(network, address string) (net.Listener, error)
	ListenPacket(network, address string) (net.PacketConn, error)
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// realNetwork is that of the machine that runs the test.
type realNetwork struct{ net.Dialer }

func (realNetwork) Listen(network, address string) (net.Listener, error) {
	return net.Listen(network, address)
}

func (realNetwork) ListenPacket(network, address string) (net.PacketConn, error) {
	return net.ListenPacket(network, address)
}

// tcpConn is what *net.TCPConn and *netsim.Conn have in common.
type tcpConn interface {
	net.Conn
	CloseRead() error
	CloseWrite() error
	SetLinger(int) error
}

// probe runs one behaviour and notes what happens.
type probe struct {
	network
	notes []string
}

func (p *probe) note(format string, args ...any) {
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = class(err)
		}
	}
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// class describes an error without ports and texts.
func class(err error) string {
	if err == nil || err == io.EOF {
		return fmt.Sprint(err)
	}
	var b strings.Builder
	if op, ok := err.(*net.OpError); ok {
		fmt.Fprintf(&b, "%s %s source=%v addr=%v", op.Op, op.Net, op.Source != nil, op.Addr != nil)
	}
	var sys *os.SyscallError
	if errors.As(err, &sys) {
		fmt.Fprintf(&b, " %s", sys.Syscall)
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		fmt.Fprintf(&b, " %v", errno)
	}
	var ne net.Error
	if errors.As(err, &ne) && ne.Timeout() {
		b.WriteString(" timeout")
	}
	for _, e := range []error{net.ErrClosed, os.ErrDeadlineExceeded, context.Canceled, context.DeadlineExceeded, net.ErrWriteToConnected} {
		if errors.Is(err, e) {
			fmt.Fprintf(&b, " is %q", e)
		}
	}
	return b.String()
}

// pair returns both ends of a connection.
func (p *probe) pair() (server, client tcpConn, stop func()) {
	l, err := p.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	c, err := p.DialContext(context.Background(), "tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	s, err := l.Accept()
	if err != nil {
		panic(err)
	}
	return s.(tcpConn), c.(tcpConn), func() { s.Close(); c.Close(); l.Close() }
}

// settle lets segments arrive.
func settle() { time.Sleep(20 * time.Millisecond) }

var behaviours = []struct {
	name string
	run  func(p *probe)
}{
	{"refused", func(p *probe) {
		l, _ := p.Listen("tcp", "127.0.0.1:0")
		l.Close()
		_, err := p.DialContext(context.Background(), "tcp", l.Addr().String())
		p.note("dial: %v", err)
	}},
	{"cancelled dial", func(p *probe) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := p.DialContext(ctx, "tcp", "127.0.0.1:1")
		p.note("dial: %v", err)
	}},
	{"expired dial", func(p *probe) {
		ctx, cancel := context.WithDeadline(context.Background(), time.Unix(1, 0))
		defer cancel()
		_, err := p.DialContext(ctx, "tcp", "127.0.0.1:1")
		p.note("dial: %v", err)
	}},
	{"bad addresses", func(p *probe) {
		for _, a := range []string{"", "127.0.0.1", "127.0.0.1:port", "127.0.0.1:65536", "127.0.0.1:-1", "[::1", "a:b:c"} {
			_, err := p.DialContext(context.Background(), "tcp", a)
			p.note("dial %q: %v", a, err)
			_, err = p.Listen("tcp", a)
			p.note("listen %q: %v", a, err)
		}
		_, err := p.DialContext(context.Background(), "tcp4", "[::1]:1")
		p.note("family: %v", err)
		_, err = p.DialContext(context.Background(), "tpc", "127.0.0.1:1")
		p.note("dial network: %v", err)
		_, err = p.Listen("udp", "127.0.0.1:1")
		p.note("listen network: %v", err)
		_, err = p.ListenPacket("tcp", "127.0.0.1:1")
		p.note("packet network: %v", err)
	}},
	{"address in use", func(p *probe) {
		l, _ := p.Listen("tcp", "127.0.0.1:0")
		defer l.Close()
		_, err := p.Listen("tcp", l.Addr().String())
		p.note("listen: %v", err)
		_, err = p.Listen("tcp", "192.0.2.1:0")
		p.note("foreign address: %v", err)
	}},
	{"wildcards", func(p *probe) {
		for _, n := range []string{"tcp", "tcp4", "tcp6"} {
			l, err := p.Listen(n, ":0")
			if err != nil {
				p.note("%s: %v", n, err)
				continue
			}
			p.note("%s: %v %T", n, l.Addr().(*net.TCPAddr).IP, l.Addr())
			c, err := p.DialContext(context.Background(), n, l.Addr().String())
			p.note("dial: %v", err)
			if err == nil {
				p.note("from %v to %v", c.LocalAddr().(*net.TCPAddr).IP, c.RemoteAddr().(*net.TCPAddr).IP)
				c.Close()
			}
			l.Close()
		}
	}},
	{"addresses", func(p *probe) {
		s, c, stop := p.pair()
		defer stop()
		p.note("%v %v", s.LocalAddr().String() == c.RemoteAddr().String(), c.LocalAddr().String() == s.RemoteAddr().String())
		p.note("%T %s", c.LocalAddr(), c.LocalAddr().Network())
	}},
	{"end of stream", func(p *probe) {
		s, c, stop := p.pair()
		defer stop()
		_, err := c.Write([]byte("abc"))
		p.note("write: %v", err)
		p.note("half close: %v", c.CloseWrite())
		b, err := io.ReadAll(s)
		p.note("read all: %q %v", b, err)
		n, err := s.Read(make([]byte, 1))
		p.note("read again: %d %v", n, err)
		n, err = c.Write([]byte("x"))
		p.note("write after half close: %d %v", n, err)
		_, err = s.Write([]byte("back"))
		p.note("write back: %v", err)
		s.Close()
		b, err = io.ReadAll(c)
		p.note("read back: %q %v", b, err)
	}},
	{"closed by us", func(p *probe) {
		_, c, stop := p.pair()
		defer stop()
		p.note("close: %v", c.Close())
		p.note("close again: %v", c.Close())
		n, err := c.Read(make([]byte, 1))
		p.note("read: %d %v", n, err)
		n, err = c.Write([]byte("x"))
		p.note("write: %d %v", n, err)
		p.note("deadline: %v", c.SetDeadline(time.Time{}))
		p.note("half close: %v", c.CloseWrite())
		p.note("address: %v", c.LocalAddr() != nil)
	}},
	{"closed by the peer", func(p *probe) {
		s, c, stop := p.pair()
		defer stop()
		s.Close()
		settle()
		n, err := c.Read(make([]byte, 1))
		p.note("read: %d %v", n, err)
		n, err = c.Write([]byte("x"))
		p.note("first write: %d %v", n, err)
		settle()
		n, err = c.Write([]byte("x"))
		p.note("second write: %d %v", n, err)
	}},
	{"reset", func(p *probe) {
		s, c, stop := p.pair()
		defer stop()
		p.note("linger: %v", s.SetLinger(0))
		s.Close()
		settle()
		n, err := c.Read(make([]byte, 1))
		p.note("read: %d %v", n, err)
		n, err = c.Write([]byte("x"))
		p.note("write: %d %v", n, err)
	}},
	{"reset seen by write", func(p *probe) {
		s, c, stop := p.pair()
		defer stop()
		_ = s.SetLinger(0)
		s.Close()
		settle()
		n, err := c.Write([]byte("x"))
		p.note("write: %d %v", n, err)
		n, err = c.Write([]byte("x"))
		p.note("again: %d %v", n, err)
	}},
	{"unread data", func(p *probe) {
		s, c, stop := p.pair()
		defer stop()
		_, _ = c.Write([]byte("never read"))
		settle()
		s.Close()
		settle()
		n, err := c.Read(make([]byte, 1))
		p.note("read: %d %v", n, err)
	}},
	{"data before a reset", func(p *probe) {
		s, c, stop := p.pair()
		defer stop()
		_, _ = s.Write([]byte("last words"))
		settle()
		_ = s.SetLinger(0)
		s.Close()
		settle()
		b := make([]byte, 100)
		n, err := c.Read(b)
		p.note("read: %q %v", b[:n], err)
		_, err = c.Read(b)
		p.note("read: %v", err)
	}},
	{"close read", func(p *probe) {
		s, c, stop := p.pair()
		defer stop()
		p.note("close read: %v", c.CloseRead())
		n, err := c.Read(make([]byte, 1))
		p.note("read: %d %v", n, err)
		_, err = c.Write([]byte("abc"))
		p.note("write: %v", err)
		b := make([]byte, 3)
		_, err = io.ReadFull(s, b)
		p.note("peer read: %q %v", b, err)
	}},
	{"empty operations", func(p *probe) {
		_, c, stop := p.pair()
		n, err := c.Read(nil)
		p.note("read: %d %v", n, err)
		n, err = c.Write(nil)
		p.note("write: %d %v", n, err)
		stop()
		n, err = c.Read(nil)
		p.note("closed read: %d %v", n, err)
		n, err = c.Write(nil)
		p.note("closed write: %d %v", n, err)
	}},
	{"deadlines", func(p *probe) {
		_, c, stop := p.pair()
		defer stop()
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		n, err := c.Read(make([]byte, 1))
		p.note("read: %d %v", n, err)
		_ = c.SetDeadline(time.Unix(1, 0))
		n, err = c.Read(make([]byte, 1))
		p.note("read: %d %v", n, err)
		n, err = c.Write([]byte("x"))
		p.note("write: %d %v", n, err)
		_ = c.SetDeadline(time.Time{})
		n, err = c.Write([]byte("x"))
		p.note("write without: %d %v", n, err)
	}},
	{"close while reading", func(p *probe) {
		_, c, stop := p.pair()
		defer stop()
		go func() { settle(); c.Close() }()
		n, err := c.Read(make([]byte, 1))
		p.note("read: %d %v", n, err)
	}},
	{"close while writing", func(p *probe) {
		_, c, stop := p.pair()
		defer stop()
		go func() { settle(); c.Close() }()
		_, err := c.Write(make([]byte, 64<<20))
		p.note("write: %v", err)
	}},
	{"accept", func(p *probe) {
		l, _ := p.Listen("tcp", "127.0.0.1:0")
		dl := l.(interface{ SetDeadline(time.Time) error })
		_ = dl.SetDeadline(time.Now().Add(10 * time.Millisecond))
		_, err := l.Accept()
		p.note("deadline: %v", err)
		_ = dl.SetDeadline(time.Time{})
		go func() { settle(); l.Close() }()
		_, err = l.Accept()
		p.note("closed: %v", err)
		p.note("close again: %v", l.Close())
		p.note("deadline after: %v", dl.SetDeadline(time.Time{}))
	}},
	{"listener closes with a backlog", func(p *probe) {
		l, _ := p.Listen("tcp", "127.0.0.1:0")
		c, err := p.DialContext(context.Background(), "tcp", l.Addr().String())
		p.note("dial: %v", err)
		settle()
		l.Close()
		_, err = c.Read(make([]byte, 1))
		p.note("read: %v", err)
		c.Close()
	}},
	{"datagrams", func(p *probe) {
		a, _ := p.ListenPacket("udp", "127.0.0.1:0")
		defer a.Close()
		c, err := p.DialContext(context.Background(), "udp", a.LocalAddr().String())
		p.note("dial: %v", err)
		defer c.Close()
		for _, s := range []string{"one", "", "three"} {
			n, err := c.Write([]byte(s))
			p.note("write: %d %v", n, err)
		}
		b := make([]byte, 4)
		for range 3 {
			n, from, err := a.ReadFrom(b)
			p.note("read: %q %v %v", b[:n], from.String() == c.LocalAddr().String(), err)
		}
		n, err := a.WriteTo([]byte("back"), c.LocalAddr())
		p.note("write back: %d %v", n, err)
		n, err = c.Read(b)
		p.note("read back: %q %v", b[:n], err)
		_, err = c.Write(make([]byte, 70000))
		p.note("too large: %v", err)
		_, err = c.(net.PacketConn).WriteTo([]byte("x"), a.LocalAddr())
		p.note("write to connected: %v", err)
		_, err = a.(net.Conn).Write([]byte("x"))
		p.note("write without address: %v", err)
		_, err = a.WriteTo([]byte("x"), &net.TCPAddr{})
		p.note("wrong address: %v", err)
		_ = a.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		_, _, err = a.ReadFrom(b)
		p.note("deadline: %v", err)
		_ = a.SetWriteDeadline(time.Unix(1, 0))
		_, err = a.WriteTo([]byte("x"), c.LocalAddr())
		p.note("write deadline: %v", err)
		a.Close()
		_, _, err = a.ReadFrom(b)
		p.note("closed: %v", err)
		_, err = a.WriteTo(b, c.LocalAddr())
		p.note("closed: %v", err)
		p.note("close again: %v", a.Close())
		_, err = c.Write([]byte("x"))
		p.note("write to a closed port: %v", err)
		settle()
		_, err = c.Read(b)
		p.note("read from a closed port: %v", err)
	}},
	{"closes at one time", func(p *probe) {
		_, c, stop := p.pair()
		defer stop()
		l, _ := p.Listen("tcp", "127.0.0.1:0")
		u, _ := p.ListenPacket("udp", "127.0.0.1:0")
		for _, x := range []io.Closer{c, l, u} {
			p.note("%v", closeTogether(x))
		}
	}},
	{"closes while others wait", func(p *probe) {
		_, c, stop := p.pair()
		defer stop()
		l, _ := p.Listen("tcp", "127.0.0.1:0")
		u, _ := p.ListenPacket("udp", "127.0.0.1:0")
		errs := make(chan error)
		for range 5 {
			go func() { _, err := c.Read(make([]byte, 1)); errs <- err }()
			go func() { _, err := l.Accept(); errs <- err }()
			go func() { _, _, err := u.ReadFrom(make([]byte, 1)); errs <- err }()
		}
		settle()
		c.Close()
		l.Close()
		u.Close()
		seen := map[string]int{}
		for range 15 {
			seen[class(<-errs)]++
		}
		p.note("%v", seen)
	}},
	{"huge reads", func(p *probe) {
		s, c, stop := p.pair()
		defer stop()
		u, _ := p.ListenPacket("udp", "127.0.0.1:0")
		defer u.Close()
		huge := make([]byte, 64<<20)
		_, _ = s.Write([]byte("abc"))
		settle()
		n, err := c.Read(huge)
		p.note("%d %v", n, err)
		_, _ = u.WriteTo([]byte("abc"), u.LocalAddr())
		settle()
		n, _, err = u.ReadFrom(huge)
		p.note("%d %v", n, err)
	}},
	{"more than the peer takes", func(p *probe) {
		s, c, stop := p.pair()
		defer stop()
		huge := make([]byte, 64<<20)
		_ = c.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
		n, err := c.Write(huge)
		p.note("some: %v, %v", 0 < n && n < len(huge), err)
		n, err = c.Write(huge)
		p.note("then: %d %v", n, err)
		_ = s.SetLinger(0)
		s.Close()
		settle()
		_ = c.SetWriteDeadline(time.Time{})
		_, err = c.Write(huge)
		p.note("after a reset: %v", err)
	}},
	{"the end of a peer that is being written to", func(p *probe) {
		s, c, stop := p.pair()
		defer stop()
		go func() { settle(); _ = s.SetLinger(0); s.Close() }()
		_, err := c.Write(make([]byte, 64<<20))
		p.note("%v", err)
	}},
	{"deadlines in the past", func(p *probe) {
		s, c, stop := p.pair()
		defer stop()
		_, _ = s.Write([]byte("there"))
		settle()
		past := time.Unix(1, 0)
		p.note("%v", c.SetReadDeadline(past))
		n, err := c.Read(make([]byte, 10))
		p.note("with data: %d %v", n, err)
		_ = c.SetReadDeadline(time.Now().Add(time.Hour))
		n, err = c.Read(make([]byte, 10))
		p.note("later: %d %v", n, err)
		l, _ := p.Listen("tcp", "127.0.0.1:0")
		defer l.Close()
		_ = l.(interface{ SetDeadline(time.Time) error }).SetDeadline(past)
		_, err = l.Accept()
		p.note("accept: %v", err)
		u, _ := p.ListenPacket("udp", "127.0.0.1:0")
		defer u.Close()
		_ = u.SetDeadline(past)
		_, _, err = u.ReadFrom(make([]byte, 1))
		p.note("packet read: %v", err)
		_, err = u.WriteTo([]byte("x"), u.LocalAddr())
		p.note("packet write: %v", err)
	}},
	{"changes of a closed socket", func(p *probe) {
		_, c, stop := p.pair()
		stop()
		full := c.(interface {
			SetKeepAlive(bool) error
			SetKeepAlivePeriod(time.Duration) error
			SetNoDelay(bool) error
			SetReadBuffer(int) error
			SetWriteBuffer(int) error
		})
		for _, err := range []error{
			c.SetDeadline(time.Time{}), c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{}), c.SetLinger(0), c.CloseRead(), c.CloseWrite(),
			full.SetKeepAlive(true), full.SetKeepAlivePeriod(time.Second), full.SetNoDelay(true), full.SetReadBuffer(1), full.SetWriteBuffer(1),
		} {
			p.note("tcp: %v", err)
		}
		u, _ := p.ListenPacket("udp", "127.0.0.1:0")
		u.Close()
		packets := u.(interface{ SetReadBuffer(int) error })
		for _, err := range []error{u.SetDeadline(time.Time{}), u.SetReadDeadline(time.Time{}), u.SetWriteDeadline(time.Time{}), packets.SetReadBuffer(1)} {
			p.note("udp: %v", err)
		}
	}},
	{"half closed twice", func(p *probe) {
		_, c, stop := p.pair()
		defer stop()
		p.note("%v", c.CloseWrite())
		p.note("%v", c.CloseWrite())
		p.note("%v", c.CloseRead())
		p.note("%v", c.CloseRead())
	}},
	{"port zero", func(p *probe) {
		_, err := p.DialContext(context.Background(), "tcp", "127.0.0.1:0")
		p.note("tcp: %v", err)
		u, _ := p.ListenPacket("udp", "127.0.0.1:0")
		defer u.Close()
		_, err = u.WriteTo([]byte("x"), &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		p.note("write: %v", err)
	}},
	{"many refused", func(p *probe) {
		l, _ := p.Listen("tcp", "127.0.0.1:0")
		l.Close()
		seen := map[string]int{}
		for range 200 {
			_, err := p.DialContext(context.Background(), "tcp", l.Addr().String())
			seen[class(err)]++
		}
		p.note("%v", seen)
	}},
	{"bulk", func(p *probe) {
		s, c, stop := p.pair()
		defer stop()
		want := stream(1, 5<<20)
		go func() { _, _ = c.Write(want); _ = c.CloseWrite() }()
		got, err := io.ReadAll(s)
		p.note("%v %v", bytes.Equal(got, want), err)
	}},
}

// closeTogether closes from ten goroutines and counts what they get.
func closeTogether(c io.Closer) map[string]int {
	errs := make(chan error)
	for range 10 {
		go func() { errs <- c.Close() }()
	}
	seen := map[string]int{}
	for range 10 {
		seen[class(<-errs)]++
	}
	return seen
}

// The simulated network must behave as the real one does.
func TestAgreesWithRealNetwork(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the simulated network is modelled on Linux")
	}
	for _, b := range behaviours {
		t.Run(b.name, func(t *testing.T) {
			actual := &probe{network: &realNetwork{}}
			b.run(actual)
			simulated := &probe{}
			inWorld(t, options{}, func(w *world) {
				w.process("n", func(h *netsim.Host, _ *driver.Proc) {
					simulated.network = h
					b.run(simulated)
				})
				w.run(time.Minute)
			})
			if !slices.Equal(actual.notes, simulated.notes) {
				for i := range max(len(actual.notes), len(simulated.notes)) {
					r, s := at(actual.notes, i), at(simulated.notes, i)
					if r != s {
						t.Errorf("real:      %s\nsimulated: %s", r, s)
					}
				}
			}
		})
	}
}

func at(notes []string, i int) string {
	if i < len(notes) {
		return notes[i]
	}
	return "nothing"
}
