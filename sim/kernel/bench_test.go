// SPDX-License-Identifier: MPL-2.0

package kernel_test

import (
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// benchmarkTimers runs b.N timer events, each of which sets the next, with queued
// timers in the queue at any time.
func benchmarkTimers(b *testing.B, queued int) {
	s := kernel.New(kernel.Config{Seed: 1, MaxEvents: b.N + queued + 2})
	left := b.N
	s.AddNode("n1", func(n *kernel.Node) {
		r := n.Rand()
		for range queued {
			var fire func()
			fire = func() {
				if left--; left <= 0 {
					s.Stop()
				}
				n.After(kernel.UniformDuration(r, 1, time.Millisecond), fire)
			}
			n.After(kernel.UniformDuration(r, 1, time.Millisecond), fire)
		}
	})
	s.Start()
	s.RunUntil(0) // the boot, which sets the timers
	b.ReportAllocs()
	b.ResetTimer()
	s.Run()
}

// BenchmarkEvent is one scheduled and executed event with its trace record.
func BenchmarkEvent(b *testing.B) {
	b.Run("queued=10", func(b *testing.B) { benchmarkTimers(b, 10) })
	b.Run("queued=1000", func(b *testing.B) { benchmarkTimers(b, 1000) })
	b.Run("queued=100000", func(b *testing.B) { benchmarkTimers(b, 100000) })
}

// BenchmarkEmit is one record with two attributes, hashed and not kept.
func BenchmarkEmit(b *testing.B) {
	s := kernel.New(kernel.Config{Seed: 1})
	n := s.AddNode("n1", nil)
	b.ReportAllocs()
	for b.Loop() {
		s.Emit(n, "log", "something happened",
			kernel.Attr{Key: "key", Value: "value"}, kernel.Attr{Key: "size", Value: "12"})
	}
}

func BenchmarkCancel(b *testing.B) {
	s := kernel.New(kernel.Config{Seed: 1})
	for i := range 1000 {
		s.At(kernel.Time(i), func() {})
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Cancel(s.At(500, func() {}))
	}
}
