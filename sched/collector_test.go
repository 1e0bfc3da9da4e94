// SPDX-License-Identifier: MPL-2.0

package sched_test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hmdsefi/faultline/sched"
)

// node makes the collector's work long: it lasts for many bubbles.
type node struct{ next, last *node }

func chain(n int) *node {
	var list *node
	for range n {
		list = &node{next: list, last: &node{}}
	}
	return list
}

// TestCollectorKeepsUp runs bubbles that end with blocked goroutines, which the runtime reports by a panic, while the collector never
// rests. The process that it starts checks each mark phase by a second one, and overwrites what is freed: with a pointer that the
// collector does not know of, or no longer should, it ends with a fatal error.
func TestCollectorKeepsUp(t *testing.T) {
	exactOnly(t)
	const variable = "FAULTLINE_TEST_COLLECTOR"
	if os.Getenv(variable) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCollectorKeepsUp$")
		cmd.Env = append(os.Environ(), variable+"=1", "GODEBUG=gccheckmark=1,clobberfree=1", "GOGC=5")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	list := chain(100_000)
	var done atomic.Bool
	var collecting sync.WaitGroup
	collecting.Go(func() {
		for !done.Load() {
			runtime.GC()
		}
	})
	for seed := range uint64(200) {
		out := sched.Bubble(t, sched.Config{Seed: seed, Exact: true}, func(t *testing.T) {
			for range 10 {
				go func() { select {} }()
			}
			for range 20 {
				runtime.Gosched()
			}
		})
		if out.Deadlock == nil || !strings.Contains(out.Deadlock.Error(), "blocked goroutines remain") {
			t.Fatalf("seed %d: %v", seed, out.Deadlock)
		}
	}
	done.Store(true)
	collecting.Wait()
	runtime.KeepAlive(list)
}
