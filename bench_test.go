// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"sync/atomic"
	"testing"
	"time"

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
		a.runEvent()
		if o := a.outcome(); o.failure != nil || o.events < 1000 {
			b.Fatalf("%d events, failure %v", o.events, o.failure)
		}
	}
}
