// SPDX-License-Identifier: MPL-2.0

package sched_test

import (
	"fmt"
	"hash/maphash"
	"os"
	"os/exec"
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

// walk prints maps of every kind of key in the order in which an exact run walks them.
func walk(t *testing.T) string {
	var text strings.Builder
	sched.Bubble(t, sched.Config{Seed: 5, Exact: true}, func(*testing.T) {
		type pair struct {
			s string
			f float32
		}
		words, numbers, small := map[string]int{}, map[int]int{}, map[int32]int{}
		pointers, mixed, pairs := map[*int]int{}, map[any]int{}, map[pair]int{}
		var synced sync.Map
		for i := range 100 {
			word := fmt.Sprint("w", i)
			words[word], numbers[i], small[int32(i)], pointers[new(int)] = i, i, i, i
			mixed[i], mixed[word], mixed[new(int)], pairs[pair{word, float32(i)}] = i, i, i, i
			synced.Store(word, i)
		}
		fmt.Fprintln(&text, walked(words), walked(numbers), walked(small), walked(pointers), walked(mixed), walked(pairs))
		synced.Range(func(_, v any) bool {
			fmt.Fprint(&text, v, " ")
			return true
		})
		seed := maphash.MakeSeed()
		fmt.Fprintln(&text, maphash.String(seed, "some words"), maphash.Comparable(seed, pair{"x", 1}))
	})
	return text.String()
}

func walked[K comparable](m map[K]int) (order []int) {
	for _, v := range m {
		order = append(order, v)
	}
	return order
}

// A seed means the same on every processor: the runtime's hash uses AES instructions where there are any.
func TestMapsDoNotDependOnTheProcessor(t *testing.T) {
	exactOnly(t)
	if os.Getenv("SCHED_WALK") != "" {
		fmt.Print(walk(t))
		return
	}
	outputs := map[string]bool{}
	for _, debug := range []string{"", "cpu.aes=off", "cpu.avx2=off,cpu.sse41=off"} {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "SCHED_WALK=1", "GODEBUG="+debug)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("GODEBUG=%s: %v\n%s", debug, err, out)
		}
		outputs[string(out)] = true
	}
	if len(outputs) != 1 {
		t.Errorf("%d different outputs with three processors, want 1", len(outputs))
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

// A lock that a goroutine outside holds for a moment is no deadlock, but the run is not exact.
func TestLockNeverFreedIsADeadlock(t *testing.T) {
	exactOnly(t)
	out := sched.Bubble(t, sched.Config{Seed: 7, Exact: true}, func(t *testing.T) {
		var mu sync.Mutex
		mu.Lock()
		mu.Lock() // the deadlock is what is tested
	})
	if out.Deadlock == nil {
		t.Error("a goroutine that waits for its own lock is no deadlock")
	}
}

func TestOutsideWakeupIsNamed(t *testing.T) {
	exactOnly(t)
	var mu sync.Mutex // shared with the outside
	mu.Lock()
	go func() {
		time.Sleep(5 * time.Millisecond)
		mu.Unlock()
	}()
	out := sched.Bubble(t, sched.Config{Seed: 7, Exact: true}, func(t *testing.T) {
		mu.Lock()
		defer mu.Unlock()
	})
	if out.Deadlock != nil {
		t.Errorf("Outcome.Deadlock = %v", out.Deadlock)
	}
	if out.Exact || out.Outside == 0 || len(out.OutsideAt) == 0 || !strings.Contains(out.OutsideAt[0], "sched_test.go") {
		t.Errorf("outcome %+v, want not exact with a place in sched_test.go", out)
	}
}
