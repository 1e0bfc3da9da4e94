// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sched"
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// BenchmarkEventSeed is one seed of event mode: two nodes that send 1,000 messages to
// and fro, with an invariant after each event.
func BenchmarkEventSeed(b *testing.B) {
	var progress atomic.Uint64
	body := func(w *World) {
		left := 1000
		pass := func(n *kernel.Node) {
			w.Net.Handle(n, func(from kernel.NodeID, msg any) {
				if left--; left > 0 {
					w.Net.Send(n, from, msg)
				}
			})
		}
		n1 := w.AddServer("n1", pass)
		w.AddServer("n2", func(n *kernel.Node) {
			pass(n)
			w.Net.Send(n, n1.ID(), "ball")
		})
		w.Invariant("none", func() error { return nil })
	}
	opts := Options{Duration: time.Minute}.withDefaults()
	b.ReportAllocs()
	for seed := range b.N {
		a := newAttempt(spec{test: b, body: body, opts: opts, seed: uint64(seed)}, &progress)
		a.runEvent(b)
		if o := a.outcome(); o.failure != nil || o.events < 1000 {
			b.Fatalf("%d events, failure %v", o.events, o.failure)
		}
	}
}

// BenchmarkMesh is one seed of a world of 100 processes each of which connects to all others, from the body to the last
// goroutine's end.
func BenchmarkMesh(b *testing.B) {
	const size = 100
	connected := 0
	body := func(w *World) {
		connected = 0
		for i := range size {
			w.AddProcess(fmt.Sprint("n", i), func(ctx context.Context, p *Process) error {
				return joinMesh(ctx, p, size, func() { connected++ })
			})
		}
	}
	opts := Options{Mode: ModeGoroutine, Duration: time.Second}.withDefaults()
	attemptForBench(b, body, opts, func(o *outcome) {
		if connected != size*(size-1) {
			b.Fatalf("%d of %d connections", connected, size*(size-1))
		}
		b.ReportMetric(float64(o.events)/float64(connected), "events/conn")
	})
}

// joinMesh dials all others of n0, n1 and so on.
func joinMesh(ctx context.Context, p *Process, size int, connected func()) error {
	l, err := p.Net.Listen("tcp", ":80")
	if err != nil {
		return err
	}
	go func() {
		for {
			if _, err := l.Accept(); err != nil {
				return
			}
		}
	}()
	for j := range size {
		name := fmt.Sprint("n", j)
		if name == p.Name() {
			continue
		}
		if _, err := p.Net.Dial("tcp", name+":80"); err != nil {
			return err
		}
		if err := p.Do(connected); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return nil
}

// BenchmarkRequests is one request over a connection that is kept alive, between processes of a world: what a seed of a
// service that speaks HTTP is made of.
func BenchmarkRequests(b *testing.B) {
	body := func(w *World) {
		w.AddProcess("web", func(ctx context.Context, p *Process) error {
			ln, err := p.Net.Listen("tcp", ":80")
			if err != nil {
				return err
			}
			srv := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "hello") })}
			context.AfterFunc(ctx, func() { srv.Close() })
			if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		})
		w.AddClientProcess("c1", func(ctx context.Context, p *Process) error {
			client := netsim.HTTPClient(p.Net)
			defer client.CloseIdleConnections()
			for range perSeed {
				resp, err := client.Get("http://web/")
				if err != nil {
					return err
				}
				_, err = io.Copy(io.Discard, resp.Body)
				if err := errors.Join(err, resp.Body.Close()); err != nil {
					return err
				}
			}
			return nil
		})
	}
	opts := Options{Mode: ModeGoroutine, Duration: time.Hour}.withDefaults()
	attemptForBench(b, body, opts, func(*outcome) {})
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/perSeed, "ns/request")
}

// perSeed is how many requests a seed of BenchmarkRequests has.
const perSeed = 1000

// attemptForBench runs the body b.N times. A bubble needs a *testing.T, which a benchmark does not have.
func attemptForBench(b *testing.B, body func(*World), opts Options, check func(*outcome)) {
	var progress atomic.Uint64
	b.ReportAllocs()
	run := func(t *testing.T) {
		for seed := range b.N {
			a := newAttempt(spec{test: b, body: body, opts: opts, seed: uint64(seed), exact: sched.Available()}, &progress)
			a.runGoroutine(t)
			o := a.outcome()
			if o.failure != nil {
				b.Fatal(o.failure)
			}
			check(o)
		}
	}
	testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "bubble", F: run}})
}
