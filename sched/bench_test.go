// SPDX-License-Identifier: MPL-2.0

package sched

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	seam "github.com/hmdsefi/faultline/runtime"
)

// inBubble measures work in a bubble: a plain one, or an exact run in a binary with the seam, at each yield rate in 256ths.
// The bubble's clock is virtual, so the time comes from outside.
func inBubble(b *testing.B, work func(b *testing.B, n int)) {
	b.Run("plain bubble", func(b *testing.B) { measure(b, work) })
	if !seam.Present {
		return
	}
	for _, rate := range []struct {
		name  string
		yield uint64
	}{{"exact, no yields", 0}, {"exact, yields 32 of 256", 32}, {"exact, yields 256 of 256", 256}} {
		b.Run(rate.name, func(b *testing.B) {
			walk := &randomWalk{yield: rate.yield, pace: pace{interval: busyPoints}}
			current = decider{strategy: walk}
			seam.Arm(1, decide)
			measure(b, work)
		})
	}
	b.Run("exact, pct", func(b *testing.B) {
		current = newDecider(Config{Seed: 1, Strategy: "pct"})
		seam.Arm(1, decide)
		measure(b, work)
	})
}

func measure(b *testing.B, work func(b *testing.B, n int)) {
	// A bubble needs a *testing.T, whose run is silent here.
	test := func(t *testing.T) {
		b.ResetTimer()
		synctest.Test(t, func(*testing.T) { work(b, b.N) })
		b.StopTimer()
	}
	match := func(string, string) (bool, error) { return true, nil }
	testing.RunTests(match, []testing.InternalTest{{Name: "bubble", F: test}})
}

func BenchmarkPointOutsideBubble(b *testing.B) {
	for b.Loop() {
		seam.Point()
	}
}

// BenchmarkPoint passes points with another goroutine waiting for the token: the only case in which a point may yield.
func BenchmarkPoint(b *testing.B) {
	inBubble(b, func(b *testing.B, n int) {
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for range n / 2 {
					seam.Point()
				}
			})
		}
		wg.Wait()
	})
}

func BenchmarkChannelRoundTrip(b *testing.B) {
	inBubble(b, func(b *testing.B, n int) {
		ping, pong := make(chan int), make(chan int)
		go func() {
			for v := range ping {
				pong <- v
			}
			close(pong)
		}()
		for range n {
			ping <- 1
			<-pong
		}
		close(ping)
		<-pong
	})
}

func BenchmarkLockUnlock(b *testing.B) {
	b.Run("outside", func(b *testing.B) {
		var mu sync.Mutex
		held := 0
		for b.Loop() {
			mu.Lock()
			held++
			mu.Unlock()
		}
	})
	inBubble(b, func(b *testing.B, n int) {
		var mu sync.Mutex
		held := 0
		for range n {
			mu.Lock()
			held++
			mu.Unlock()
		}
	})
}

func BenchmarkSpawnAndJoin(b *testing.B) {
	inBubble(b, func(b *testing.B, n int) {
		var wg sync.WaitGroup
		for range n {
			wg.Go(func() {})
			wg.Wait()
		}
	})
}

func BenchmarkVirtualSleep(b *testing.B) {
	inBubble(b, func(b *testing.B, n int) {
		for range n {
			time.Sleep(time.Microsecond)
		}
	})
}

func BenchmarkPointerKey(b *testing.B) {
	lookup := func(n int) {
		m := map[*int]int{}
		keys := make([]*int, 64)
		for i := range keys {
			keys[i] = new(int)
			m[keys[i]] = i
		}
		sum := 0
		for i := range n {
			sum += m[keys[i&63]]
		}
	}
	b.Run("outside", func(b *testing.B) { lookup(b.N) })
	inBubble(b, func(b *testing.B, n int) { lookup(n) })
}
