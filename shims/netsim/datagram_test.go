// SPDX-License-Identifier: MPL-2.0

package netsim_test

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// upper adds an event-style node that answers datagrams in upper case, from the port that they came to.
func (w *world) upper(name string) *kernel.Node {
	return w.sim.AddNode(name, func(n *kernel.Node) {
		w.net.Handle(n, func(from kernel.NodeID, msg any) {
			d := msg.(netsim.Datagram)
			w.net.Send(n, from, d.Reply([]byte(strings.ToUpper(string(d.Data)))))
		})
	})
}

// A process asks an event-style node, over a socket that is connected and over one that is not, and over IPv6.
func TestDatagramsToAnEventNode(t *testing.T) {
	inWorld(t, options{}, func(w *world) {
		n := w.upper("upper")
		w.process("client", func(h *netsim.Host, _ *driver.Proc) {
			c, err := h.Dial("udp", "upper:53")
			if err != nil {
				t.Error(err)
				return
			}
			if got := ask(t, c, "connected"); got != "CONNECTED" {
				t.Errorf("got %q", got)
			}
			p, err := h.ListenPacket("udp", ":0")
			if err != nil {
				t.Error(err)
				return
			}
			for _, to := range []netip.AddrPort{netip.AddrPortFrom(netsim.IP(n.ID()), 53), netip.AddrPortFrom(netsim.IP6(n.ID()), 54)} {
				if _, err := p.WriteTo([]byte("x"), net.UDPAddrFromAddrPort(to)); err != nil {
					t.Error(err)
				}
				b := make([]byte, 10)
				k, from, err := p.ReadFrom(b)
				if err != nil || string(b[:k]) != "X" || from.String() != to.String() {
					t.Errorf("got %q from %v, %v; want X from %v", b[:k], from, err, to)
				}
			}
			if _, err := h.Dial("tcp", "upper:53"); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("TCP to an event-style node: %v", err)
			}
		})
		w.run(time.Minute)
	})
}

// ask writes a datagram and returns the answer.
func ask(t *testing.T, c net.Conn, question string) string {
	if _, err := c.Write([]byte(question)); err != nil {
		t.Error(err)
	}
	b := make([]byte, 100)
	n, err := c.Read(b)
	if err != nil {
		t.Error(err)
	}
	return string(b[:n])
}

// Faults of the network act on datagrams between the two kinds of nodes as on all others.
func TestDatagramsToAnEventNodeAreCut(t *testing.T) {
	inWorld(t, options{link: fixed}, func(w *world) {
		n := w.upper("upper")
		var errs []error
		c := w.process("client", func(h *netsim.Host, _ *driver.Proc) {
			c, err := h.Dial("udp", "upper:53")
			if err != nil {
				t.Error(err)
				return
			}
			for range 4 { // one a second, at 0, 1, 2 and 3
				_, _ = c.Write([]byte("x"))
				_ = c.SetReadDeadline(time.Now().Add(time.Second))
				_, err := c.Read(make([]byte, 1))
				errs = append(errs, err)
				if err == nil {
					time.Sleep(time.Second - 2*fixed.Latency)
				}
			}
		})
		w.at(500*time.Millisecond, func() { w.net.Cut(c.ID(), n.ID()) })
		w.at(1500*time.Millisecond, func() { w.net.Heal(); n.Crash() })
		w.at(2500*time.Millisecond, func() { n.Restart() })
		w.run(time.Minute)
		late := os.ErrDeadlineExceeded
		for i, want := range []error{nil, late, late, nil} {
			if i >= len(errs) || !errors.Is(errs[i], want) {
				t.Fatalf("got %v; want an answer, two without, and one", errs)
			}
		}
	})
}

// An event-style node sends to a process of its own accord. What is not a datagram is dropped, and one to a closed
// port is answered as to any node.
func TestMessagesToAProcess(t *testing.T) {
	inWorld(t, options{}, func(w *world) {
		var got []string
		p := w.process("server", func(h *netsim.Host, _ *driver.Proc) {
			c, err := h.ListenPacket("udp", ":53")
			if err != nil {
				t.Error(err)
				return
			}
			b := make([]byte, 100)
			n, from, err := c.ReadFrom(b)
			if err != nil {
				t.Error(err)
			}
			got = append(got, string(b[:n])+" from "+from.String())
		})
		n := w.sim.AddNode("client", nil)
		w.at(time.Second, func() {
			d := netsim.Datagram{
				From: netip.AddrPortFrom(netsim.IP(n.ID()), 1000), To: netip.AddrPortFrom(netsim.IP(p.ID()), 53), Data: []byte("hello"),
			}
			w.net.Send(n, p.ID(), "no datagram")
			w.net.Send(n, p.ID(), netsim.Datagram{From: d.From, To: netip.AddrPortFrom(d.To.Addr(), 54)})
			w.net.Send(n, p.ID(), d)
		})
		w.run(time.Minute)
		if !slices.Equal(got, []string{"hello from 10.0.0.2:1000"}) {
			t.Errorf("got %q", got)
		}
		if w.count(simnet.KindDrop) != 1 {
			t.Errorf("%d messages were dropped, want that which is no datagram", w.count(simnet.KindDrop))
		}
	})
}
