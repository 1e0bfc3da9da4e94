// SPDX-License-Identifier: MPL-2.0

package sched

import (
	"sync"
	"testing"
	"time"

	seam "github.com/hmdsefi/faultline/runtime"
)

// TestPollingForADeadlineEnds polls for a deadline with scheduling points, which would take for ever with the clock of a plain bubble.
func TestPollingForADeadlineEnds(t *testing.T) {
	if !Available() {
		t.Skip("needs the seam: go test -toolexec=faultline-toolexec")
	}
	for _, name := range Strategies() {
		for seed := range uint64(10) {
			var took time.Duration
			out := Bubble(t, Config{Exact: true, Seed: seed, Strategy: name}, func(*testing.T) {
				start := time.Now()
				timeout := time.After(5 * time.Second)
				for polling := true; polling; {
					select {
					case <-timeout:
						polling = false
					default:
					}
				}
				took = time.Since(start)
			})
			// The timer is not in the runtime's heap while nobody is blocked on its channel, so a step of the clock may pass it.
			if took < 5*time.Second || took > 20*time.Second {
				t.Errorf("%s, seed %d: the timer of 5s fired after %v (%+v)", name, seed, took, out)
			}
		}
	}
}

// TestTimersFireWhileComputing looks for the two orders of a timer and a goroutine that computes.
func TestTimersFireWhileComputing(t *testing.T) {
	if !Available() {
		t.Skip("needs the seam: go test -toolexec=faultline-toolexec")
	}
	for _, name := range Strategies() {
		fired := 0
		for seed := range uint64(100) {
			run := func() (early bool, out Outcome) {
				out = Bubble(t, Config{Exact: true, Seed: seed, Strategy: name}, func(*testing.T) {
					var mu sync.Mutex
					timer := time.AfterFunc(500*time.Nanosecond, func() {})
					for range 2000 {
						mu.Lock()
						held++
						mu.Unlock()
					}
					early = !timer.Stop()
				})
				return early, out
			}
			early, first := run()
			again, second := run()
			if early != again || first.Hash != second.Hash {
				t.Fatalf("%s, seed %d: early %v, then %v; %+v, then %+v", name, seed, early, again, first, second)
			}
			if early {
				fired++
			}
		}
		if fired < 10 || fired > 90 {
			t.Errorf("%s: the timer fired while the goroutine computed at %d of 100 seeds, want 10 to 90", name, fired)
		}
	}
}

func TestPaceIsEncoded(t *testing.T) {
	if got, want := (seam.Pace{Step: 11, Points: 1<<24 - 1}).Encode(), uint32(11<<24|(1<<24-1)); got != want {
		t.Errorf("got %#x, want %#x", got, want)
	}
	for seed := range uint64(200) {
		var p pace
		p.start(seed)
		for range 100 {
			if step := p.next(5) >> 24; p.interval == busyPoints && step != 0 || step > 21 {
				t.Fatalf("seed %d, interval %d: the clock moves by 2^%d ns", seed, p.interval, step-1)
			}
		}
		if step := p.next(100*busyPoints) >> 24; step != 62 {
			t.Errorf("seed %d: after %d busy points the clock moves by 2^%d ns, want the most", seed, 100*busyPoints, step-1)
		}
	}
}
