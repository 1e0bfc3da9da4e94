// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// inBubble runs fn in a bubble made for a benchmark, which synctest.Test does not
// accept. The benchmark's clock runs outside, so fn must not touch it.
func inBubble(b *testing.B, fn func()) {
	b.Helper()
	ok := testing.RunTests(func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "bubble", F: func(t *testing.T) {
			synctest.Test(t, func(*testing.T) { fn() })
		}}})
	if !ok {
		b.Fatal("the bubble failed")
	}
}

// BenchmarkCall is one round trip of one goroutine.
func BenchmarkCall(b *testing.B) {
	b.ReportAllocs()
	inBubble(b, func() {
		s := kernel.New(kernel.Config{MaxEvents: b.N + 10})
		d := driver.New(s, driver.Arrival)
		done := false
		s.AddNode("n", func(n *kernel.Node) {
			p := d.Proc(n)
			go func() {
				for range b.N {
					_ = p.Call("k", func(c *driver.Call) { c.Finish(nil) })
				}
				done = true
			}()
		})
		s.Start()
		d.Run(kernel.Time(time.Second), func() bool { return done })
		d.Close()
	})
}

// BenchmarkEvent is one kernel event that wakes nobody, at a time of its own.
func BenchmarkEvent(b *testing.B) {
	for name, gap := range map[string]time.Duration{"same instant": 0, "later": time.Microsecond} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			inBubble(b, func() {
				s := kernel.New(kernel.Config{MaxEvents: b.N + 10})
				d := driver.New(s, driver.Arrival)
				left := b.N
				var tick func()
				tick = func() {
					if left--; left > 0 {
						s.After(gap, tick)
					}
				}
				s.After(0, tick)
				d.Run(kernel.Time(time.Hour), func() bool { return left <= 0 })
				d.Close()
			})
		})
	}
}
