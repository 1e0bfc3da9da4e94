// SPDX-License-Identifier: MPL-2.0

package netsim_test

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// Datagrams are lost, doubled and reordered as the link says, and nothing else
// happens to them.
func TestDatagramsOverABadLink(t *testing.T) {
	const total = 1000
	receive := func(link simnet.LinkConfig) (got []string) {
		inWorld(t, options{seed: 7, link: link}, func(w *world) {
			w.process("server", func(h *netsim.Host, _ *driver.Proc) {
				c, err := h.ListenPacket("udp", ":53")
				if err != nil {
					t.Error(err)
					return
				}
				b := make([]byte, 100)
				_ = c.SetReadDeadline(time.Now().Add(time.Minute))
				for {
					n, from, err := c.ReadFrom(b)
					if err != nil {
						return
					}
					if a := from.(*net.UDPAddr); a.IP.String() != "10.0.0.2" {
						t.Errorf("datagram from %v", a)
					}
					got = append(got, string(b[:n]))
				}
			})
			w.process("client", func(h *netsim.Host, _ *driver.Proc) {
				c, err := h.Dial("udp", "server:53")
				if err != nil {
					t.Error(err)
					return
				}
				for i := range total {
					if _, err := fmt.Fprintf(c, "%04d", i); err != nil {
						t.Error(err)
					}
					time.Sleep(time.Millisecond)
				}
			})
			w.run(2 * time.Minute)
		})
		return got
	}
	whole := receive(simnet.LinkConfig{Latency: time.Millisecond})
	if len(whole) != total || !slices.IsSorted(whole) {
		t.Errorf("a good link delivered %d of %d, sorted %v", len(whole), total, slices.IsSorted(whole))
	}
	bad := receive(simnet.LinkConfig{Latency: time.Millisecond, Jitter: 10 * time.Millisecond, DropPPM: 300_000, DupPPM: 200_000})
	sorted := slices.IsSorted(bad)
	copies := len(bad)
	slices.Sort(bad)
	distinct := len(slices.Compact(bad))
	if sorted || distinct == copies || distinct < 600 || distinct > 800 {
		t.Errorf("a bad link delivered %d copies of %d datagrams, sorted %v", copies, distinct, sorted)
	}
}

func TestDatagramTruncation(t *testing.T) {
	inWorld(t, options{}, func(w *world) {
		w.process("n", func(h *netsim.Host, _ *driver.Proc) {
			a, _ := h.ListenPacket("udp", "127.0.0.1:0")
			c, err := h.Dial("udp", a.LocalAddr().String())
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = c.Write([]byte("abcdef"))
			_, _ = c.Write([]byte("next"))
			b := make([]byte, 4)
			for _, want := range []string{"abcd", "next"} {
				if n, _, err := a.ReadFrom(b); err != nil || string(b[:n]) != want {
					t.Errorf("read %q, %v; want %q", b[:n], err, want)
				}
			}
		})
		w.run(time.Minute)
	})
}

func TestDatagramErrors(t *testing.T) {
	inWorld(t, options{}, func(w *world) {
		w.process("peer", func(h *netsim.Host, _ *driver.Proc) {})
		w.process("n", func(h *netsim.Host, _ *driver.Proc) {
			c, err := h.Dial("udp", "peer:53")
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := c.Write([]byte("x")); err != nil {
				t.Errorf("first write: %v", err)
			}
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("read: %v, want refused", err)
			}
			u, _ := h.ListenPacket("udp", ":0")
			_, err = u.WriteTo([]byte("x"), net.UDPAddrFromAddrPort(netip.MustParseAddrPort("192.0.2.1:1")))
			var op *net.OpError
			if !errors.As(err, &op) || op.Op != "write" || !errors.Is(err, syscall.ENETUNREACH) {
				t.Errorf("write to a foreign address: %v", err)
			}
			if _, err := u.(*netsim.PacketConn).WriteToUDP([]byte("x"), nil); !errors.Is(err, syscall.EINVAL) {
				t.Errorf("write to no address: %v", err)
			}
			if _, err := u.WriteTo([]byte("x"), net.UDPAddrFromAddrPort(netip.MustParseAddrPort("10.0.99.1:1"))); err != nil {
				t.Errorf("write to nobody: %v", err)
			}
			if _, err := h.ListenPacket("udp", u.LocalAddr().String()); !errors.Is(err, syscall.EADDRINUSE) {
				t.Errorf("listen: %v, want in use", err)
			}
		})
		w.run(time.Minute)
	})
}

// What goes to many receivers on a real network is refused in words, whoever asks.
func TestMulticastAndBroadcastAreRefused(t *testing.T) {
	inWorld(t, options{}, func(w *world) {
		w.process("n", func(h *netsim.Host, _ *driver.Proc) {
			u, err := h.ListenPacket("udp", ":0")
			if err != nil {
				t.Error(err)
				return
			}
			for _, ip := range []string{"224.0.0.1", "255.255.255.255", "ff02::1"} {
				to := net.JoinHostPort(ip, "5353")
				_, dialTCP := h.Dial("tcp", to)
				_, dialUDP := h.Dial("udp", to)
				_, listen := h.Listen("tcp", to)
				_, listenPacket := h.ListenPacket("udp", to)
				_, write := u.WriteTo([]byte("x"), net.UDPAddrFromAddrPort(netip.MustParseAddrPort(to)))
				for i, err := range []error{dialTCP, dialUDP, listen, listenPacket, write} {
					var op *net.OpError
					if !errors.As(err, &op) || !strings.Contains(err.Error(), "multicast and broadcast are not simulated") {
						t.Errorf("%s, call %d: %v", ip, i, err)
					}
				}
			}
		})
		w.run(time.Minute)
	})
}

// Datagrams between processes over IPv6, with the methods of *net.UDPConn.
func TestDatagramsOverIPv6(t *testing.T) {
	inWorld(t, options{link: fixed}, func(w *world) {
		var got string
		w.process("server", func(h *netsim.Host, _ *driver.Proc) {
			c, err := h.ListenPacket("udp6", ":53")
			if err != nil {
				t.Error(err)
				return
			}
			b := make([]byte, 10)
			n, from, err := c.(*netsim.PacketConn).ReadFromUDP(b)
			if err != nil || from.IP.String() != "fd00::2" {
				t.Errorf("from %v, %v", from, err)
				return
			}
			if _, err := c.(*netsim.PacketConn).WriteToUDP(append(b[:n], '!'), from); err != nil {
				t.Error(err)
			}
		})
		w.process("client", func(h *netsim.Host, _ *driver.Proc) {
			c, err := h.Dial("udp6", "server:53")
			if err != nil || c.RemoteAddr().String() != "[fd00::1]:53" {
				t.Errorf("dial: %v, %v", c, err)
				return
			}
			got = ask(t, c, "hello")
		})
		w.run(time.Minute)
		if got != "hello!" {
			t.Errorf("got %q", got)
		}
	})
}

// A full receive buffer drops what comes, and a flood takes virtual time.
func TestDatagramFlood(t *testing.T) {
	inWorld(t, options{link: fixed, cfg: netsim.Config{Bandwidth: 1_000_000}}, func(w *world) {
		w.process("server", func(h *netsim.Host, _ *driver.Proc) {
			c, err := h.ListenPacket("udp", ":53")
			if err != nil {
				t.Error(err)
				return
			}
			_ = c.(*netsim.PacketConn).SetReadBuffer(10_000)
			time.Sleep(time.Minute)
		})
		w.process("client", func(h *netsim.Host, _ *driver.Proc) {
			c, err := h.Dial("udp", "server:53")
			if err != nil {
				t.Error(err)
				return
			}
			for range 1000 {
				_, _ = c.Write(make([]byte, 936))
			}
			if now() < 900*time.Millisecond || now() > 1100*time.Millisecond {
				t.Errorf("1 MB at 1 MB/s was sent at %v", now())
			}
		})
		w.run(time.Hour)
		if got := w.count(netsim.KindDatagram); got != 10 {
			t.Errorf("%d datagrams were buffered, want 10", got)
		}
		if got := w.count(netsim.KindOverflow); got != 990 {
			t.Errorf("%d datagrams overflowed, want 990", got)
		}
	})
}

// A node that crashes loses its sockets, and the restarted one opens them again.
func TestDatagramsAndCrash(t *testing.T) {
	inWorld(t, options{link: fixed}, func(w *world) {
		var got []string
		s := w.process("server", func(h *netsim.Host, p *driver.Proc) {
			c, err := h.ListenPacket("udp", ":53")
			if err != nil {
				t.Error(err)
				return
			}
			b := make([]byte, 10)
			for {
				n, _, err := c.ReadFrom(b)
				if err != nil {
					if !errors.Is(err, net.ErrClosed) {
						t.Errorf("the ghost's read: %v", err)
					}
					return
				}
				got = append(got, fmt.Sprint(p.Inc(), string(b[:n])))
			}
		})
		w.process("client", func(h *netsim.Host, _ *driver.Proc) {
			c, err := h.ListenPacket("udp", ":0")
			if err != nil {
				t.Error(err)
				return
			}
			to := &net.UDPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 53}
			for _, s := range []string{"a", "b", "c"} {
				_, _ = c.WriteTo([]byte(s), to)
				time.Sleep(10 * time.Second)
			}
		})
		w.at(5*time.Second, func() { s.Crash() })
		w.at(15*time.Second, func() { s.Restart() })
		w.run(time.Minute)
		if want := []string{"1a", "2c"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}
