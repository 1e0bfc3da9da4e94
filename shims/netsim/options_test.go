// SPDX-License-Identifier: MPL-2.0

package netsim_test

import (
	"errors"
	"io"
	"reflect"
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

// effects has, for each field of Config, what can be seen of its default and of another value.
var effects = []struct {
	field          string
	change         netsim.Config
	see            func(w *world) any
	fallback, want any
}{
	{"MSS", netsim.Config{MSS: 1000}, segments, 2, 100},
	{"Window", netsim.Config{Window: 1000}, accepted, 2 << 20, 1<<20 + 1000},
	{"SendBuffer", netsim.Config{SendBuffer: 1000}, accepted, 2 << 20, 1<<20 + 1000},
	{"Backlog", netsim.Config{Backlog: 3}, waiting, 10, 3},
	{"InitialRTO", netsim.Config{InitialRTO: 100 * time.Millisecond}, unanswered, 127 * time.Second, 12700 * time.Millisecond},
	{"MaxRTO", netsim.Config{MaxRTO: time.Second}, unanswered, 127 * time.Second, 7 * time.Second},
	{"SynRetries", netsim.Config{SynRetries: 1}, unanswered, 127 * time.Second, 3 * time.Second},
	{"MinRTO", netsim.Config{MinRTO: 100 * time.Millisecond}, firstRetransmission, 200 * time.Millisecond, 100 * time.Millisecond},
	// 0.2 s, doubled ten times up to 102.4 s, add up to 204.6 s, and there come five of 120 s.
	{"Retries", netsim.Config{Retries: 2}, givenUp, 924600 * time.Millisecond, 1400 * time.Millisecond},
	{"AckDelay", netsim.Config{AckDelay: 5 * time.Millisecond}, acknowledged, 41 * time.Millisecond, 6 * time.Millisecond},
	{"KeepAlive", netsim.Config{KeepAlive: time.Second}, missed, 150 * time.Second, 10 * time.Second},
	{"KeepAliveCount", netsim.Config{KeepAliveCount: 1}, missed, 150 * time.Second, 30 * time.Second},
	{"Bandwidth", netsim.Config{Bandwidth: 1_000_000}, transferred, time.Duration(0), time.Second},
	{"Loopback", netsim.Config{Loopback: time.Millisecond}, looped, 20 * time.Microsecond, 2 * time.Millisecond},
	{"UDPBuffer", netsim.Config{UDPBuffer: 5000}, kept, 50, 5},
}

func TestEveryOptionHasItsEffect(t *testing.T) {
	seen := make(map[string]bool)
	for _, e := range effects {
		seen[e.field] = true
		t.Run(e.field, func(t *testing.T) {
			for cfg, want := range map[netsim.Config]any{{}: e.fallback, e.change: e.want} {
				inWorld(t, options{link: fixed, cfg: cfg}, func(w *world) {
					if got := e.see(w); got != want {
						t.Errorf("%+v: got %v, want %v", cfg, got, want)
					}
				})
			}
		})
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[netsim.Config]()) {
		if !seen[f.Name] {
			t.Errorf("nobody has seen an effect of %s", f.Name)
		}
	}
}

// segments returns how many segments 100,000 bytes take.
func segments(w *world) any {
	w.pair(func(c *netsim.Conn) { _, _ = io.Copy(io.Discard, c) }, func(c *netsim.Conn) { _, _ = c.Write(make([]byte, 100_000)) })
	w.run(time.Minute)
	return w.count(netsim.KindSegment)
}

// accepted returns how many bytes can be written to a peer that does not read.
func accepted(w *world) any {
	n := 0
	w.pair(func(c *netsim.Conn) { time.Sleep(time.Hour) }, func(c *netsim.Conn) {
		_ = c.SetWriteDeadline(time.Now().Add(time.Minute))
		n, _ = c.Write(make([]byte, 10<<20))
	})
	w.run(2 * time.Hour)
	return n
}

// waiting returns how many of ten dials succeed although nobody accepts.
func waiting(w *world) any {
	connected := 0
	w.process("server", func(h *netsim.Host, p *driver.Proc) {
		_, _ = h.Listen("tcp", ":80")
		<-p.Context().Done()
	})
	w.process("client", func(h *netsim.Host, _ *driver.Proc) {
		for range 10 {
			if _, err := h.DialTimeout("tcp", "server:80", time.Second); err == nil {
				connected++
			}
		}
	})
	w.run(time.Minute)
	return connected
}

// unanswered returns how long a dial to a node that is down takes to fail.
func unanswered(w *world) any {
	var took time.Duration
	down := w.process("down", func(*netsim.Host, *driver.Proc) {})
	w.at(time.Millisecond, func() { down.Crash() })
	w.process("client", func(h *netsim.Host, _ *driver.Proc) {
		time.Sleep(time.Second)
		begin := now()
		if _, err := h.Dial("tcp", "down:80"); !errors.Is(err, syscall.ETIMEDOUT) {
			w.t.Error(err)
		}
		took = now() - begin
	})
	w.run(10 * time.Minute)
	return took
}

// cut has the client write to a server that it is cut off from at 1 s, and returns how long it takes to learn of it.
func cut(w *world) (givenUp time.Duration) {
	s, c := w.pair(func(c *netsim.Conn) { _, _ = io.Copy(io.Discard, c) }, func(c *netsim.Conn) {
		_ = c.SetKeepAlive(false)
		_, _ = c.Write([]byte("measure")) // a round trip
		time.Sleep(2 * time.Second)
		begin := now()
		_, _ = c.Write([]byte("x"))
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ETIMEDOUT) {
			w.t.Error(err)
		}
		givenUp = now() - begin
	})
	w.at(time.Second, func() { w.net.Partition([]kernel.NodeID{s.ID()}, []kernel.NodeID{c.ID()}) })
	w.run(time.Hour)
	return givenUp
}

func givenUp(w *world) any { return cut(w) }

// firstRetransmission returns how long data waits for an acknowledgement.
func firstRetransmission(w *world) any {
	cut(w)
	return w.tries()[0]
}

// acknowledged returns when the acknowledgement of a lone segment leaves, after the write.
func acknowledged(w *world) any {
	w.pair(func(c *netsim.Conn) {
		_, _ = c.Read(make([]byte, 1))
		time.Sleep(time.Second)
	}, func(c *netsim.Conn) {
		time.Sleep(time.Second - now())
		_, _ = c.Write([]byte("x"))
		time.Sleep(time.Second)
	})
	w.run(1900 * time.Millisecond)
	for _, r := range w.sim.Records() {
		if r.Kind == simnet.KindSend && r.Node == 1 && strings.HasSuffix(r.Text, " ACK") && r.At > kernel.Time(time.Second) {
			return r.At.Sub(kernel.Time(time.Second))
		}
	}
	return nil
}

// missed returns how long it takes to notice that the peer of an idle connection cannot be reached, to a multiple of
// 10 s or 1 s.
func missed(w *world) any {
	var ended time.Duration
	s, _ := w.pair(func(c *netsim.Conn) { _, _ = c.Read(make([]byte, 1)) }, func(c *netsim.Conn) {
		_, err := c.Read(make([]byte, 1))
		if !errors.Is(err, syscall.ETIMEDOUT) {
			w.t.Error(err)
		}
		ended = now()
	})
	w.at(500*time.Millisecond, func() { w.net.Isolate(s.ID()) })
	w.run(time.Hour)
	if ended > 20*time.Second {
		return ended.Round(10 * time.Second)
	}
	return ended.Round(time.Second)
}

// transferred returns how long a megabyte takes, to a tenth of a second.
func transferred(w *world) any {
	var took time.Duration
	w.pair(func(c *netsim.Conn) {
		_, _ = io.Copy(io.Discard, c)
		took = now()
	}, func(c *netsim.Conn) {
		_, _ = c.Write(make([]byte, 1_000_000))
		_ = c.CloseWrite()
		_, _ = c.Read(make([]byte, 1))
	})
	w.run(time.Minute)
	return took.Round(100 * time.Millisecond)
}

// looped returns how long a node takes to connect to itself.
func looped(w *world) any {
	var took time.Duration
	w.process("n", func(h *netsim.Host, _ *driver.Proc) {
		_, _ = h.Listen("tcp", ":80")
		begin := now()
		if _, err := h.Dial("tcp", "localhost:80"); err != nil {
			w.t.Error(err)
		}
		took = now() - begin
	})
	w.run(time.Minute)
	return took.Round(10 * time.Microsecond)
}

// kept returns how many of fifty datagrams of 1,000 bytes are there for a late reader.
func kept(w *world) any {
	w.process("server", func(h *netsim.Host, _ *driver.Proc) {
		_, _ = h.ListenPacket("udp", ":53")
		time.Sleep(time.Second)
	})
	w.process("client", func(h *netsim.Host, _ *driver.Proc) {
		c, err := h.Dial("udp", "server:53")
		if err != nil {
			w.t.Error(err)
			return
		}
		for range 50 {
			_, _ = c.Write(make([]byte, 1000))
		}
	})
	w.run(time.Minute)
	return w.count(netsim.KindDatagram)
}

// tries returns how long after the first transmission the client of cut sent again.
func (w *world) tries() (after []time.Duration) {
	var first kernel.Time
	for _, r := range w.sim.Records() {
		switch {
		case r.Kind == simnet.KindSend && r.At > kernel.Time(2*time.Second) && first == 0:
			first = r.At
		case r.Kind == netsim.KindRetransmit:
			after = append(after, r.At.Sub(first))
		}
	}
	return after
}

// Retransmissions wait twice as long each time, up to MaxRTO.
func TestRetransmissionsBackOff(t *testing.T) {
	inWorld(t, options{link: fixed, cfg: netsim.Config{MaxRTO: time.Second, Retries: 5}}, func(w *world) {
		gaveUp := cut(w)
		const ms = time.Millisecond
		if want := []time.Duration{200 * ms, 600 * ms, 1400 * ms, 2400 * ms, 3400 * ms}; !slices.Equal(w.tries(), want) || gaveUp != 4400*ms {
			t.Errorf("sent again after %v and gave up after %v; want %v and 4.4s", w.tries(), gaveUp, want)
		}
	})
}
