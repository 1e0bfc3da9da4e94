// SPDX-License-Identifier: MPL-2.0

package netsim_test

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// A client that dials again after a crash, from the port that it had before, meets a
// connection that its peer believes to be open.
func TestPortReuseAfterCrash(t *testing.T) {
	inWorld(t, options{link: fixed}, func(w *world) {
		var first, second error
		w.process("server", func(h *netsim.Host, _ *driver.Proc) {
			l, err := h.Listen("tcp", ":80")
			if err != nil {
				t.Error(err)
				return
			}
			c, _ := l.Accept()
			_, first = c.Read(make([]byte, 1))
			c, _ = l.Accept()
			_, second = c.Write([]byte("x"))
			_ = c.Close()
			time.Sleep(time.Second)
		})
		var took time.Duration
		c := w.process("client", func(h *netsim.Host, p *driver.Proc) {
			start := now()
			c, err := h.Dial("tcp", "server:80")
			if err != nil {
				t.Error(err)
				return
			}
			took = now() - start
			if _, err := c.Read(make([]byte, 1)); p.Inc() == 2 && err != nil {
				t.Error(err)
			}
		})
		w.at(5*time.Second, func() { c.Crash() })
		w.at(6*time.Second, func() { w.st.SetNextPort(c, 40000); c.Restart() })
		w.sim.Start()
		w.st.SetNextPort(c, 40000)
		w.run(time.Minute)
		if !errors.Is(first, syscall.ECONNRESET) || second != nil {
			t.Errorf("the server's first connection ended with %v, the second with %v", first, second)
		}
		if took < time.Second || took > 2*time.Second {
			t.Errorf("the second dial took %v, want one retransmission", took)
		}
	})
}

// A partition leaves a connection half open when one side gives it up: the other side learns of it when the network is
// whole again and it says something.
func TestHalfOpenAfterAPartition(t *testing.T) {
	inWorld(t, options{link: fixed, cfg: netsim.Config{Retries: 3, KeepAlive: -1}}, func(w *world) {
		var server, client error
		var serverAt, clientAt time.Duration
		s, c := w.pair(func(c *netsim.Conn) {
			time.Sleep(5 * time.Second) // cut off by then
			_, _ = c.Write([]byte("x"))
			_, server = c.Read(make([]byte, 1))
			serverAt = now()
			time.Sleep(time.Hour)
		}, func(c *netsim.Conn) {
			_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the client learned of it too early: %v", err)
			}
			_ = c.SetReadDeadline(time.Time{})
			_, _ = c.Write([]byte("y"))
			_, client = c.Read(make([]byte, 1))
			clientAt = now()
		})
		w.at(time.Second, func() { w.net.Partition([]kernel.NodeID{s.ID()}, []kernel.NodeID{c.ID()}) })
		w.at(20*time.Second, func() { w.net.Heal() })
		w.run(time.Hour)
		if !errors.Is(server, syscall.ETIMEDOUT) || serverAt > 10*time.Second {
			t.Errorf("the server, which wrote in the partition, got %v at %v", server, serverAt)
		}
		if !errors.Is(client, syscall.ECONNRESET) || clientAt < 30*time.Second || clientAt > 31*time.Second {
			t.Errorf("the client, which wrote after it, got %v at %v", client, clientAt)
		}
	})
}

// TCP between nodes over IPv6.
func TestIPv6(t *testing.T) {
	inWorld(t, options{link: fixed}, func(w *world) {
		var got []byte
		w.process("server", func(h *netsim.Host, _ *driver.Proc) {
			l, err := h.Listen("tcp6", "[fd00::1]:80")
			if err != nil {
				t.Error(err)
				return
			}
			for range 2 {
				c, err := l.Accept()
				if err != nil || c.RemoteAddr().(*net.TCPAddr).IP.String() != "fd00::2" {
					t.Errorf("accepted %v, %v", c, err)
					return
				}
				_, _ = c.Write([]byte("six"))
				_ = c.Close()
			}
		})
		w.process("client", func(h *netsim.Host, _ *driver.Proc) {
			for network, address := range map[string]string{"tcp": "[fd00::1]:80", "tcp6": "server:80"} {
				c, err := h.Dial(network, address)
				if err != nil {
					t.Errorf("%s %s: %v", network, address, err)
					continue
				}
				b, _ := io.ReadAll(c)
				got = append(got, b...)
			}
			if _, err := h.Dial("tcp4", "server:80"); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("dial of the IPv4 address: %v", err)
			}
		})
		w.run(time.Minute)
		if string(got) != "sixsix" {
			t.Errorf("got %q", got)
		}
	})
}

// When processes have ended, nothing of their connections is left: no connection, no
// listener, and in time no event.
func TestNothingIsLeft(t *testing.T) {
	inWorld(t, options{}, func(w *world) {
		s := w.process("server", func(h *netsim.Host, _ *driver.Proc) {
			l, _ := h.Listen("tcp", ":80")
			_, _ = h.ListenPacket("udp", ":80")
			for range 20 {
				c, err := l.Accept()
				if err != nil {
					t.Error(err)
					return
				}
				w.wg.Go(func() { _, _ = io.Copy(c, c) })
			}
		})
		c := w.process("client", func(h *netsim.Host, _ *driver.Proc) {
			for i := range 20 {
				c, err := h.Dial("tcp", "server:80")
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = c.Write(make([]byte, 100_000*i))
				if i%2 == 0 {
					_ = c.Close()
				}
			}
		})
		w.run(10 * time.Minute)
		if w.st.Conns(s) != 0 || w.st.Conns(c) != 0 {
			t.Errorf("%d and %d connections are left", w.st.Conns(s), w.st.Conns(c))
		}
		if next, ok := w.sim.Next(); ok {
			t.Errorf("an event is left at %v", next)
		}
	})
}

// Ten thousand dials to a listener that accepts nothing.
func TestManyDialsToAFullBacklog(t *testing.T) {
	inWorld(t, options{quiet: true}, func(w *world) {
		w.process("server", func(h *netsim.Host, _ *driver.Proc) {
			l, _ := h.Listen("tcp", ":80")
			time.Sleep(3 * time.Minute) // a dial times out after 127 s
			_ = l.Close()
		})
		results := make(map[error]int)
		w.process("client", func(h *netsim.Host, _ *driver.Proc) {
			outcome := make(chan error)
			for range 10_000 {
				w.wg.Go(func() {
					c, err := h.Dial("tcp", "server:80")
					if err == nil {
						_, err = c.Read(make([]byte, 1))
					}
					outcome <- err
				})
			}
			for range 10_000 {
				err := <-outcome
				for _, errno := range []error{syscall.ETIMEDOUT, syscall.ECONNRESET} {
					if errors.Is(err, errno) {
						results[errno]++
					}
				}
			}
		})
		w.run(5 * time.Minute)
		if results[syscall.ECONNRESET] != 4096 || results[syscall.ETIMEDOUT] != 10_000-4096 {
			t.Errorf("results %v; want 4096 in the backlog and the rest timed out", results)
		}
	})
}

// BenchmarkIdleMemory reports the memory of an idle connection, both ends together.
func BenchmarkIdleMemory(b *testing.B) {
	const conns = 1000
	inBenchWorld(b, func(w *world) {
		w.idle(b, conns)
		before := heap()
		w.sim.Start()
		w.drv.Run(w.sim.Now().Add(time.Minute), nil)
		b.ReportMetric(float64(heap()-before)/conns, "B/conn")
	})
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A process that ends leaves what it has written to be delivered, as with a real kernel, and a reset if it has not read
// all that came. Its ports are free.
func TestEndClosesWhatIsOpen(t *testing.T) {
	const size = 1 << 20
	for _, tt := range []struct {
		name   string
		unread bool
	}{{"all read", false}, {"unread", true}} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, options{}, func(w *world) {
				var got int64
				var end error
				s := w.process("server", func(h *netsim.Host, p *driver.Proc) {
					l, err := h.Listen("tcp", ":80")
					if err != nil {
						t.Error(err)
						return
					}
					c, err := l.Accept()
					if err != nil {
						t.Error(err)
						return
					}
					if tt.unread {
						time.Sleep(time.Second)
					}
					w.wg.Go(func() { // left behind
						_, err := l.Accept()
						if !errors.Is(err, driver.ErrGone) || !errors.Is(err, net.ErrClosed) {
							t.Errorf("Accept of a process that has ended: %v", err)
						}
						if _, err := h.Listen("tcp", ":81"); !errors.Is(err, driver.ErrGone) {
							t.Errorf("Listen of a process that has ended: %v", err)
						}
					})
					_, _ = c.Write(make([]byte, size))
				})
				w.process("client", func(h *netsim.Host, _ *driver.Proc) {
					c, err := h.Dial("tcp", "server:80")
					if err != nil {
						t.Error(err)
						return
					}
					if tt.unread {
						_, _ = c.Write([]byte("x"))
					}
					got, end = io.Copy(io.Discard, c)
					if _, err := h.Dial("tcp", "server:80"); !errors.Is(err, syscall.ECONNREFUSED) {
						t.Errorf("dial of the port of a process that has ended: %v", err)
					}
				})
				w.run(10 * time.Minute)
				if tt.unread != errors.Is(end, syscall.ECONNRESET) || !tt.unread && got != size {
					t.Errorf("the peer read %d bytes and then %v", got, end)
				}
				if w.st.Conns(s) != 0 {
					t.Errorf("%d connections are left", w.st.Conns(s))
				}
			})
		})
	}
}
