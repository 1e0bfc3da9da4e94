// SPDX-License-Identifier: MPL-2.0

package sched_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sched"
)

// order runs goroutines that race for a lock and gives the order in which they got it.
func order(t *testing.T, seed uint64) (string, sched.Outcome) {
	var got strings.Builder
	out := sched.Bubble(t, sched.Config{Seed: seed, Exact: true}, func(t *testing.T) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				mu.Lock()
				defer mu.Unlock()
				fmt.Fprint(&got, i)
			})
		}
		wg.Wait()
	})
	return got.String(), out
}

func TestBubbleIsExactWithTheSeamOnly(t *testing.T) {
	_, out := order(t, 1)
	if out.Exact != sched.Available() {
		t.Errorf("Outcome.Exact = %v in a binary with Available() = %v", out.Exact, sched.Available())
	}
}

func TestBubbleReportsDeadlock(t *testing.T) {
	out := sched.Bubble(t, sched.Config{Exact: true}, func(t *testing.T) {
		go func() { select {} }()
	})
	if out.Deadlock == nil || !strings.Contains(out.Deadlock.Error(), "blocked goroutines remain") {
		t.Errorf("Outcome.Deadlock = %v, want the runtime's deadlock error", out.Deadlock)
	}
	if _, next := order(t, 1); next.Deadlock != nil {
		t.Errorf("the bubble after a deadlock: %v", next.Deadlock)
	}
}

// exactOnly skips what only a binary with the seam can show. The wrapper's own tests run this package through the wrapper.
func exactOnly(t *testing.T) {
	if !sched.Available() {
		t.Skip("needs the seam: go test -toolexec=faultline-toolexec")
	}
}

func TestSeedDecidesOrder(t *testing.T) {
	exactOnly(t)
	order(t, 0) // first use of lazily made things
	seen := map[string]bool{}
	for seed := range uint64(60) {
		first, out1 := order(t, seed)
		second, out2 := order(t, seed)
		if first != second || out1.Hash != out2.Hash || out1.Points != out2.Points {
			t.Fatalf("seed %d: %s (%+v), then %s (%+v)", seed, first, out1, second, out2)
		}
		seen[first] = true
	}
	if len(seen) < 30 {
		t.Errorf("60 seeds gave %d orders of 720, want at least 30", len(seen))
	}
}

func TestLockAcrossSleepIsDurable(t *testing.T) {
	exactOnly(t)
	var elapsed time.Duration
	out := sched.Bubble(t, sched.Config{Seed: 7, Exact: true}, func(t *testing.T) {
		start := time.Now()
		var mu sync.RWMutex
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				mu.Lock()
				defer mu.Unlock()
				time.Sleep(time.Second)
			})
		}
		wg.Wait()
		elapsed = time.Since(start)
	})
	if elapsed != 5*time.Second || !out.Exact {
		t.Errorf("virtual time %v, outcome %+v; want 5s, exact", elapsed, out)
	}
}

func TestOutsideWakeupIsNamed(t *testing.T) {
	exactOnly(t)
	var mu sync.Mutex // shared with the outside
	mu.Lock()
	go func() {
		time.Sleep(20 * time.Millisecond)
		mu.Unlock()
	}()
	out := sched.Bubble(t, sched.Config{Seed: 7, Exact: true}, func(t *testing.T) {
		tick := time.NewTicker(time.Second) // keeps the bubble alive while it waits for the outside
		defer tick.Stop()
		done := make(chan bool)
		go func() {
			mu.Lock()
			close(done)
		}()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	if out.Exact || out.Outside == 0 || len(out.OutsideAt) == 0 || !strings.Contains(out.OutsideAt[0], "sched_test.go") {
		t.Errorf("outcome %+v, want not exact with a place in sched_test.go", out)
	}
}
