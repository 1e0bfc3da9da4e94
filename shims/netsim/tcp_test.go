// SPDX-License-Identifier: MPL-2.0

package netsim_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// fixed is a link without jitter, for tests that count in milliseconds.
var fixed = simnet.LinkConfig{Latency: time.Millisecond}

// stream returns n bytes that depend on the seed.
func stream(seed uint64, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(b)
	return b
}

func TestAddresses(t *testing.T) {
	inWorld(t, options{}, func(w *world) {
		w.pair(func(c *netsim.Conn) {
			if got := fmt.Sprint(c.LocalAddr().Network(), c.LocalAddr()); got != "tcp10.0.0.1:80" {
				t.Errorf("server's local address %v", got)
			}
			if a := c.RemoteAddr().(*net.TCPAddr); a.IP.String() != "10.0.0.2" || a.Port < 32768 {
				t.Errorf("server's remote address %v", a)
			}
		}, func(c *netsim.Conn) {
			if got := c.RemoteAddr().String(); got != "10.0.0.1:80" {
				t.Errorf("client's remote address %v", got)
			}
		})
		w.run(time.Second)
	})
}

func TestDialTargets(t *testing.T) {
	inWorld(t, options{link: fixed}, func(w *world) {
		w.process("server", func(h *netsim.Host, _ *driver.Proc) {
			l, err := h.Listen("tcp", ":0")
			if err != nil {
				t.Error(err)
				return
			}
			port := l.Addr().(*net.TCPAddr).Port
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					c.Close()
				}
			}()
			for _, host := range []string{"", "localhost", "127.0.0.1", "::1", "0.0.0.0", "::", "server", "server.", "10.0.0.1", "fd00::1"} {
				c, err := h.Dial("tcp", net.JoinHostPort(host, fmt.Sprint(port)))
				if err != nil {
					t.Errorf("dial %q: %v", host, err)
					continue
				}
				c.Close()
			}
			l.Close()
		})
		w.run(10 * time.Second)
	})
}

func TestDialErrors(t *testing.T) {
	tests := []struct {
		network, address string
		want             error
		after            time.Duration
	}{
		{"tcp", "peer:81", syscall.ECONNREFUSED, 2 * time.Millisecond},
		{"tcp", "localhost:81", syscall.ECONNREFUSED, 20 * time.Microsecond},
		{"tcp", "10.0.9.9:80", syscall.EHOSTUNREACH, 3 * time.Second},
		{"tcp", "192.0.2.1:80", syscall.ENETUNREACH, 0},
		{"tcp", "down:80", syscall.ETIMEDOUT, 127 * time.Second},
		{"unix", "/tmp/x", net.UnknownNetworkError("unix"), 0},
	}
	inWorld(t, options{link: fixed}, func(w *world) {
		w.process("peer", func(h *netsim.Host, _ *driver.Proc) {})
		down := w.process("down", func(h *netsim.Host, _ *driver.Proc) {})
		w.at(time.Millisecond, func() { down.Crash() })
		w.process("client", func(h *netsim.Host, _ *driver.Proc) {
			time.Sleep(time.Second)
			for _, tt := range tests {
				start := now()
				c, err := h.Dial(tt.network, tt.address)
				var op *net.OpError
				if c != nil || !errors.Is(err, tt.want) || !errors.As(err, &op) || op.Op != "dial" || op.Net != tt.network {
					t.Errorf("dial %s: %v, want %v", tt.address, err, tt.want)
				}
				if took := now() - start; took != tt.after {
					t.Errorf("dial %s took %v, want %v", tt.address, took, tt.after)
				}
			}
			_, err := h.Dial("tcp", "nobody:80")
			var dns *net.DNSError
			if !errors.As(err, &dns) || !dns.IsNotFound || dns.Name != "nobody" {
				t.Errorf("dial of an unknown name: %v", err)
			}
			if _, err := h.Dial("tcp", "224.0.0.1:80"); err == nil {
				t.Error("multicast address was accepted")
			}
			if _, err := h.Dial("tcp", "peer"); err == nil {
				t.Error("an address without port was accepted")
			}
			if _, err := h.Dial("tcp4", "[fd00::1]:80"); err == nil {
				t.Error("tcp4 accepted an IPv6 address")
			}
		})
		w.run(10 * time.Minute)
	})
}

func TestDialContext(t *testing.T) {
	inWorld(t, options{link: fixed}, func(w *world) {
		down := w.process("down", func(h *netsim.Host, _ *driver.Proc) {})
		w.at(time.Millisecond, func() { down.Crash() })
		w.process("client", func(h *netsim.Host, _ *driver.Proc) {
			time.Sleep(time.Second)
			start := now()
			_, err := h.DialTimeout("tcp", "down:80", 2*time.Second)
			var ne net.Error
			if !errors.As(err, &ne) || !ne.Timeout() || !errors.Is(err, context.DeadlineExceeded) || now()-start != 2*time.Second {
				t.Errorf("timeout: %v after %v", err, now()-start)
			}
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(time.Second, cancel)
			start = now()
			_, err = h.DialContext(ctx, "tcp", "down:80")
			if !errors.Is(err, context.Canceled) || now()-start != time.Second {
				t.Errorf("cancel: %v after %v", err, now()-start)
			}
			if _, err := h.DialContext(ctx, "tcp", "down:80"); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled before: %v", err)
			}
		})
		w.run(time.Minute)
	})
}

func TestListenErrors(t *testing.T) {
	inWorld(t, options{link: fixed}, func(w *world) {
		w.process("n", func(h *netsim.Host, _ *driver.Proc) {
			l, err := h.Listen("tcp", ":80")
			if err != nil {
				t.Error(err)
			}
			if got := l.Addr().String(); got != "[::]:80" {
				t.Errorf("address %v", got)
			}
			for addr, want := range map[string]error{
				":80": syscall.EADDRINUSE, "127.0.0.1:80": syscall.EADDRINUSE, "10.0.0.7:81": syscall.EADDRNOTAVAIL,
			} {
				_, err := h.Listen("tcp", addr)
				var op *net.OpError
				if !errors.Is(err, want) || !errors.As(err, &op) || op.Op != "listen" || op.Addr == nil && want == syscall.EADDRINUSE {
					t.Errorf("listen on %s: %v, want %v", addr, err, want)
				}
			}
			_ = l.Close()
			if err := l.Close(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("second Close: %v", err)
			}
			if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("Accept after Close: %v", err)
			}
			l, err = h.Listen("tcp4", ":80")
			if err != nil || l.Addr().String() != "0.0.0.0:80" {
				t.Errorf("listen again: %v, %v", l, err)
			}
			start := now()
			_ = l.(*netsim.Listener).SetDeadline(time.Now().Add(time.Second))
			if _, err := l.Accept(); !errors.Is(err, os.ErrDeadlineExceeded) || now()-start != time.Second {
				t.Errorf("Accept with a deadline: %v after %v", err, now()-start)
			}
		})
		w.run(time.Minute)
	})
}

func TestDeadlines(t *testing.T) {
	inWorld(t, options{link: fixed, cfg: netsim.Config{Window: 1000, SendBuffer: 1000}}, func(w *world) {
		w.pair(func(c *netsim.Conn) {
			time.Sleep(time.Minute) // reads nothing
		}, func(c *netsim.Conn) {
			timeout := func(what string, n, wantN int, err error) {
				t.Helper()
				var ne net.Error
				if n != wantN || !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &ne) || !ne.Timeout() {
					t.Errorf("%s: %d bytes and %v", what, n, err)
				}
			}
			b := make([]byte, 5000)
			start := now()
			_ = c.SetReadDeadline(time.Now().Add(time.Second))
			n, err := c.Read(b)
			timeout("read", n, 0, err)
			if now()-start != time.Second {
				t.Errorf("read ended after %v", now()-start)
			}
			n, err = c.Read(b)
			timeout("read after the deadline", n, 0, err)
			_ = c.SetReadDeadline(time.Time{})
			time.AfterFunc(time.Second, func() { _ = c.SetReadDeadline(time.Unix(1, 0)) })
			n, err = c.Read(b)
			timeout("read interrupted by a deadline in the past", n, 0, err)
			if now()-start != 2*time.Second {
				t.Errorf("read was interrupted after %v", now()-start)
			}
			_ = c.SetWriteDeadline(time.Now().Add(time.Second))
			n, err = c.Write(b)
			timeout("write", n, 2000, err)
			n, err = c.Write(b)
			timeout("write after the deadline", n, 0, err)
		})
		w.run(time.Hour)
	})
}

func TestHalfClose(t *testing.T) {
	inWorld(t, options{}, func(w *world) {
		request, response := stream(1, 300_000), stream(2, 200_000)
		done := 0
		w.pair(func(c *netsim.Conn) {
			got, err := io.ReadAll(c)
			if err != nil || !bytes.Equal(got, request) {
				t.Errorf("request of %d bytes, %v", len(got), err)
			}
			if _, err := c.Write(response); err != nil {
				t.Error(err)
			}
			_ = c.Close()
			done++
		}, func(c *netsim.Conn) {
			if _, err := c.Write(request); err != nil {
				t.Error(err)
			}
			_ = c.CloseWrite()
			if _, err := c.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
				t.Errorf("write after CloseWrite: %v", err)
			}
			got, err := io.ReadAll(c)
			if err != nil || !bytes.Equal(got, response) {
				t.Errorf("response of %d bytes, %v", len(got), err)
			}
			_ = c.Close()
			done++
		})
		w.run(time.Minute)
		if done != 2 {
			t.Errorf("%d of 2 sides ended", done)
		}
		if n := w.count(netsim.KindRst); n != 0 {
			t.Errorf("%d resets", n)
		}
	})
}

func TestCloseWakesPendingOperations(t *testing.T) {
	inWorld(t, options{cfg: netsim.Config{SendBuffer: 10, Window: 10}}, func(w *world) {
		w.pair(func(c *netsim.Conn) { time.Sleep(time.Minute) }, func(c *netsim.Conn) {
			errs := make(chan error, 2)
			go func() { _, err := c.Read(make([]byte, 1)); errs <- err }()
			go func() { _, err := c.Write(make([]byte, 100)); errs <- err }()
			time.Sleep(time.Second)
			_ = c.Close()
			for range 2 {
				if err := <-errs; !errors.Is(err, net.ErrClosed) {
					t.Errorf("pending operation ended with %v", err)
				}
			}
			for what, err := range map[string]error{
				"close": c.Close(), "deadline": c.SetDeadline(time.Now()), "close write": c.CloseWrite(),
			} {
				if !errors.Is(err, net.ErrClosed) {
					t.Errorf("%s after Close: %v", what, err)
				}
			}
		})
		w.run(time.Hour)
	})
}

func TestCloseWithUnreadDataResets(t *testing.T) {
	inWorld(t, options{}, func(w *world) {
		w.pair(func(c *netsim.Conn) {
			time.Sleep(time.Second)
			_ = c.Close()
			time.Sleep(time.Minute)
		}, func(c *netsim.Conn) {
			_, _ = c.Write([]byte("never read"))
			_, err := c.Read(make([]byte, 1))
			var op *net.OpError
			if !errors.Is(err, syscall.ECONNRESET) || !errors.As(err, &op) || op.Op != "read" {
				t.Errorf("read: %v, want a reset", err)
			}
			if _, err := c.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
				t.Errorf("write: %v, want EPIPE", err)
			}
		})
		w.run(time.Hour)
	})
}

// A transfer must arrive whole over a bad link that is also cut for a while. Backoff
// ends early here, or unlucky seeds would wait for minutes after the cut.
func TestBadLink(t *testing.T) {
	bad := simnet.LinkConfig{
		Latency: time.Millisecond, Jitter: 20 * time.Millisecond, DropPPM: 200_000, DupPPM: 100_000,
	}
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inWorld(t, options{seed: seed, link: bad, cfg: netsim.Config{MaxRTO: 5 * time.Second, SynRetries: 15}}, func(w *world) {
				want := stream(seed, 1<<20)
				var got []byte
				var ended time.Duration
				s, c := w.pair(func(c *netsim.Conn) {
					b, err := io.ReadAll(c)
					if err != nil {
						t.Error(err)
					}
					got, ended = b, now()
					_ = c.Close()
				}, func(c *netsim.Conn) {
					for b := want; len(b) > 0; b = b[1<<15:] {
						if _, err := c.Write(b[:1<<15]); err != nil {
							t.Error(err)
							return
						}
						time.Sleep(10 * time.Millisecond)
					}
					_ = c.CloseWrite()
					_, _ = c.Read(make([]byte, 1))
					_ = c.Close()
				})
				w.at(200*time.Millisecond, func() { w.net.Partition([]kernel.NodeID{s.ID()}, []kernel.NodeID{c.ID()}) })
				w.at(20*time.Second, func() { w.net.Heal() })
				w.run(10 * time.Minute)
				if !bytes.Equal(got, want) {
					t.Errorf("%d bytes arrived, want %d", len(got), len(want))
				}
				if ended < 20*time.Second || ended > 2*time.Minute {
					t.Errorf("the transfer ended at %v", ended)
				}
			})
		})
	}
}

// A slow link with a short queue drops most of a burst; the transfer still ends, and
// not faster than the link.
func TestSlowLink(t *testing.T) {
	slow := simnet.LinkConfig{Latency: time.Millisecond, Bandwidth: 1_000_000, Queue: 150_000, CorruptPPM: 10_000}
	inWorld(t, options{link: slow}, func(w *world) {
		want := stream(1, 3_000_000)
		var ended time.Duration
		w.pair(func(c *netsim.Conn) {
			got, err := io.ReadAll(c)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes arrived, %v", len(got), err)
			}
			ended = now()
		}, func(c *netsim.Conn) {
			if _, err := c.Write(want); err != nil {
				t.Error(err)
			}
			_ = c.CloseWrite()
			_, _ = c.Read(make([]byte, 1))
		})
		w.run(time.Hour)
		if ended < 3*time.Second || ended > time.Minute {
			t.Errorf("3 MB at 1 MB/s ended at %v", ended)
		}
	})
}

// Odd sizes of segments, windows, writes and reads must not damage the stream in
// either direction.
func TestStreamIntegrity(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			o := options{seed: seed, link: simnet.LinkConfig{
				Latency: time.Millisecond, Jitter: time.Duration(r.IntN(10)) * time.Millisecond,
				DropPPM: r.Int64N(300_000), DupPPM: r.Int64N(300_000), FIFO: r.IntN(2) == 0,
			}, cfg: netsim.Config{MSS: 1 + r.IntN(1500), Window: 1 + r.IntN(5000), SendBuffer: 1 + r.IntN(5000)}}
			inWorld(t, o, func(w *world) {
				done := 0
				exchange := func(out, in []byte, seed uint64) func(c *netsim.Conn) {
					r := rand.New(rand.NewPCG(seed, 2))
					return func(c *netsim.Conn) {
						w.wg.Go(func() {
							for b := out; len(b) > 0; {
								n := 1 + r.IntN(min(len(b), 3000))
								if _, err := c.Write(b[:n]); err != nil {
									t.Errorf("write: %v", err)
									return
								}
								b = b[n:]
							}
							_ = c.CloseWrite()
						})
						var got []byte
						for {
							b := make([]byte, 1+len(got)%700)
							n, err := c.Read(b)
							got = append(got, b[:n]...)
							if err != nil {
								if err != io.EOF {
									t.Errorf("read: %v", err)
								}
								break
							}
						}
						if !bytes.Equal(got, in) {
							t.Errorf("got %d bytes, want %d", len(got), len(in))
						}
						done++
						time.Sleep(time.Hour) // let the other side end
					}
				}
				a, b := stream(seed, r.IntN(20_000)), stream(seed+100, r.IntN(20_000))
				w.pair(exchange(a, b, seed), exchange(b, a, seed+1000))
				w.run(12 * time.Hour)
				if done != 2 {
					t.Errorf("%d of 2 sides ended", done)
				}
				if n := w.count(netsim.KindTimeout); n != 0 {
					t.Errorf("%d timeouts", n)
				}
			})
		})
	}
}

func TestSlowReaderClosesTheWindow(t *testing.T) {
	inWorld(t, options{link: fixed, cfg: netsim.Config{Window: 4096, MSS: 1024}}, func(w *world) {
		want := stream(1, 100_000)
		var got []byte
		var wrote time.Duration
		w.pair(func(c *netsim.Conn) {
			time.Sleep(20 * time.Minute) // far longer than a lost peer would be waited for
			got, _ = io.ReadAll(c)
		}, func(c *netsim.Conn) {
			if _, err := c.Write(want); err != nil {
				t.Error(err)
			}
			wrote = now()
			_ = c.Close()
			time.Sleep(time.Hour)
		})
		w.run(2 * time.Hour)
		if !bytes.Equal(got, want) || wrote == 0 {
			t.Errorf("%d bytes arrived, want %d; write ended at %v", len(got), len(want), wrote)
		}
	})
}

// A crash tells the peer nothing; the restarted node answers with a reset.
func TestCrashAndRestart(t *testing.T) {
	inWorld(t, options{link: fixed}, func(w *world) {
		var reset time.Duration
		var ghost error
		first := true
		s := w.process("server", func(h *netsim.Host, p *driver.Proc) {
			l, err := h.Listen("tcp", ":80")
			if err != nil {
				t.Errorf("incarnation %d: %v", p.Inc(), err)
				return
			}
			c, err := l.Accept()
			if err != nil {
				t.Error(err)
				return
			}
			_, err = c.Write([]byte("hello"))
			if err != nil {
				t.Error(err)
			}
			if first {
				first = false
				_, ghost = c.Read(make([]byte, 1))
				return
			}
			_, _ = c.Read(make([]byte, 1))
		})
		w.process("client", func(h *netsim.Host, p *driver.Proc) {
			c, err := h.Dial("tcp", "server:80")
			if err != nil {
				t.Error(err)
				return
			}
			b := make([]byte, 5)
			_, _ = io.ReadFull(c, b)
			time.Sleep(2 * time.Second) // the server has crashed meanwhile
			if _, err := c.Write([]byte("x")); err != nil {
				t.Errorf("write into the void: %v", err)
			}
			_, err = c.Read(b)
			reset = now()
			if !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("read: %v, want a reset", err)
			}
			c2, err := h.Dial("tcp", "server:80")
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := io.ReadFull(c2, b); err != nil || string(b) != "hello" {
				t.Errorf("after the restart: %q, %v", b, err)
			}
		})
		w.at(time.Second, func() { s.Crash() })
		w.at(10*time.Second, func() { s.Restart() })
		w.run(time.Minute)
		if reset < 10*time.Second || reset > 20*time.Second {
			t.Errorf("reset at %v, want soon after 10s", reset)
		}
		if !errors.Is(ghost, net.ErrClosed) || !errors.Is(ghost, driver.ErrGone) {
			t.Errorf("the ghost's read ended with %v", ghost)
		}
	})
}

// A process that ends on a node that stays up closes its connections at once. What it
// had closed before goes on to be delivered.
func TestProcessEnd(t *testing.T) {
	inWorld(t, options{link: fixed}, func(w *world) {
		w.process("server", func(h *netsim.Host, p *driver.Proc) {
			l, err := h.Listen("tcp", ":80")
			if err != nil {
				t.Error(err)
				return
			}
			open, _ := l.Accept()
			closed, _ := l.Accept()
			_, _ = open.Write([]byte("a"))
			_, _ = closed.Write(make([]byte, 500_000))
			_ = closed.Close()
			time.Sleep(100 * time.Millisecond)
		})
		w.process("client", func(h *netsim.Host, p *driver.Proc) {
			open, err := h.Dial("tcp", "server:80")
			if err != nil {
				t.Error(err)
				return
			}
			closed, err := h.Dial("tcp", "server:80")
			if err != nil {
				t.Error(err)
				return
			}
			if b, err := io.ReadAll(open); string(b) != "a" || err != nil || now() > time.Second {
				t.Errorf("open connection: %q, %v at %v", b, err, now())
			}
			if b, err := io.ReadAll(closed); len(b) != 500_000 || err != nil {
				t.Errorf("closed connection: %d bytes, %v", len(b), err)
			}
			if _, err := h.Dial("tcp", "server:80"); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("dial after the end: %v", err)
			}
		})
		w.run(time.Hour)
	})
}

func TestBacklog(t *testing.T) {
	inWorld(t, options{link: fixed, cfg: netsim.Config{Backlog: 3}}, func(w *world) {
		w.process("server", func(h *netsim.Host, p *driver.Proc) {
			l, err := h.Listen("tcp", ":80")
			if err != nil {
				t.Error(err)
			}
			time.Sleep(time.Hour)
			_ = l.Close()
		})
		var ok, timedOut int
		w.process("client", func(h *netsim.Host, p *driver.Proc) {
			errs := make(chan error)
			for range 10 {
				go func() {
					c, err := h.Dial("tcp", "server:80")
					if err == nil {
						_, err = c.Read(make([]byte, 1))
					}
					errs <- err
				}()
			}
			for range 10 {
				switch err := <-errs; {
				case errors.Is(err, syscall.ETIMEDOUT):
					timedOut++
				case errors.Is(err, syscall.ECONNRESET):
					ok++
				default:
					t.Error(err)
				}
			}
		})
		w.run(2 * time.Hour)
		if ok != 3 || timedOut != 7 {
			t.Errorf("%d connected, %d timed out; want 3 and 7", ok, timedOut)
		}
	})
}

// An idle connection to a machine that lost power and came back is noticed by a
// keep-alive probe, and one over a cut link by the lack of answers.
func TestKeepAlive(t *testing.T) {
	inWorld(t, options{link: fixed}, func(w *world) {
		idle := func(name string, want error, soon, late time.Duration) *kernel.Node {
			s := w.process(name, func(h *netsim.Host, p *driver.Proc) {
				l, _ := h.Listen("tcp", ":80")
				for {
					if _, err := l.Accept(); err != nil {
						return
					}
				}
			})
			w.process(name+"-client", func(h *netsim.Host, p *driver.Proc) {
				c, err := h.Dial("tcp", name+":80")
				if err != nil {
					t.Error(err)
					return
				}
				_, err = c.Read(make([]byte, 1))
				if !errors.Is(err, want) || now() < soon || now() > late {
					t.Errorf("%s: %v at %v, want %v", name, err, now(), want)
				}
			})
			return s
		}
		crashed := idle("crashed", syscall.ECONNRESET, 100*time.Second, 120*time.Second)
		cut := idle("cut", syscall.ETIMEDOUT, 230*time.Second, 280*time.Second)
		w.at(90*time.Second, func() { crashed.Crash() })
		w.at(100*time.Second, func() { crashed.Restart(); w.net.Isolate(cut.ID()) })
		w.run(80 * time.Second)
		if before := w.sim.RecordCount(); before > 40 {
			t.Errorf("%d records, although the connections were idle", before)
		}
		w.run(time.Hour)
	})
}

func TestPause(t *testing.T) {
	inWorld(t, options{link: fixed}, func(w *world) {
		s, _ := w.pair(func(c *netsim.Conn) {
			_, _ = io.Copy(c, c)
		}, func(c *netsim.Conn) {
			time.Sleep(2 * time.Second)
			b := []byte("ping")
			_, _ = c.Write(b)
			if _, err := io.ReadFull(c, b); err != nil || now() < 60*time.Second || now() > 61*time.Second {
				t.Errorf("the echo ended at %v with %v", now(), err)
			}
		})
		w.at(time.Second, func() { s.Pause() })
		w.at(time.Minute, func() { s.Resume() })
		w.run(time.Hour)
	})
}

func TestLinger(t *testing.T) {
	inWorld(t, options{link: fixed}, func(w *world) {
		w.pair(func(c *netsim.Conn) {
			_ = c.SetLinger(0)
			_ = c.Close()
			time.Sleep(time.Second)
		}, func(c *netsim.Conn) {
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("read: %v, want a reset", err)
			}
		})
		w.run(time.Hour)
	})
}

func TestCloseRead(t *testing.T) {
	inWorld(t, options{link: fixed}, func(w *world) {
		w.pair(func(c *netsim.Conn) {
			time.AfterFunc(time.Second, func() { _ = c.CloseRead() })
			if _, err := c.Read(make([]byte, 1)); err != io.EOF || now() > 1100*time.Millisecond {
				t.Errorf("read: %v at %v, want EOF after a second", err, now())
			}
			time.Sleep(2 * time.Second)
			if n, err := io.ReadFull(c, make([]byte, 100_000)); err != nil {
				t.Errorf("read %d bytes that came later, and %v", n, err)
			}
			if _, err := c.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("read of no more: %v", err)
			}
			_, _ = c.Write([]byte("still here"))
			_ = c.Close()
		}, func(c *netsim.Conn) {
			time.Sleep(2 * time.Second)
			if _, err := c.Write(make([]byte, 100_000)); err != nil {
				t.Errorf("write to a peer that does not wait: %v", err)
			}
			if b, err := io.ReadAll(c); string(b) != "still here" || err != nil {
				t.Errorf("read %q, %v", b, err)
			}
		})
		w.run(time.Hour)
	})
}

// One pair of goroutines that never run at the same time gives the same trace
// whenever the seed is the same.
func TestSameSeedSameTrace(t *testing.T) {
	run := func(seed uint64) (hash uint64) {
		link := simnet.LinkConfig{Latency: time.Millisecond, Jitter: 9 * time.Millisecond, DropPPM: 100_000, DupPPM: 100_000}
		inWorld(t, options{seed: seed, link: link}, func(w *world) {
			s, _ := w.pair(func(c *netsim.Conn) {
				_, _ = io.Copy(c, c)
			}, func(c *netsim.Conn) {
				b := make([]byte, 1000)
				for range 50 {
					_, _ = c.Write(b)
					_, _ = io.ReadFull(c, b)
				}
			})
			w.at(100*time.Millisecond, func() { w.net.Isolate(s.ID()) })
			w.at(3*time.Second, func() { w.net.Heal() })
			w.run(time.Minute)
			hash = w.sim.TraceHash()
		})
		return hash
	}
	first := run(1)
	for range 5 {
		if again := run(1); again != first {
			t.Errorf("trace hash %x, then %x", first, again)
		}
	}
	if run(2) == first {
		t.Error("another seed gave the same trace")
	}
}
