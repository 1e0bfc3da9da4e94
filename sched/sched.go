// SPDX-License-Identifier: MPL-2.0

// Package sched owns the goroutine side of a run: it runs a function in a synctest bubble, exactly if the binary has the seam,
// and tells what happened. It is the only caller of package runtime's run functions. It must not know the simulator.
package sched

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"

	seam "github.com/hmdsefi/faultline/runtime"
	"github.com/hmdsefi/faultline/sched/decisions"
)

// Config says how a bubble is run. All but Exact is for exact runs.
type Config struct {
	// Exact asks for an exact run, for which Bubble sets GOMAXPROCS to 1. It needs the seam. There must not be another exact
	// run at the same time in the process.
	Exact bool
	// Seed decides every choice.
	Seed uint64
	// Strategy names the strategy that picks who runs, one of [Strategies]; empty means [DefaultStrategy].
	Strategy string
	// Length is about how many decisions the run will make, if that is known: some strategies spread their effort over it.
	Length uint64
	// Record is the number of decisions to make room for in Outcome.Log; with 0 none are recorded.
	Record int
	// Follow is a schedule to follow as far as it fits, before the strategy takes over.
	Follow *decisions.Log
}

// Outcome is what a bubble tells about itself.
type Outcome struct {
	Exact     bool           // every choice came from the seed: the run was exact and nothing woke it from outside
	Points    uint64         // scheduling points passed
	Switches  uint64         // times another goroutine went on
	Decisions uint64         // decisions made
	Hash      uint64         // fold of every decision
	Outside   uint64         // wake-ups that came from outside the bubble
	OutsideAt []string       // the places of the first few of them
	Log       *decisions.Log // the schedule, if it was to be recorded
	Followed  int            // decisions that were made as Config.Follow has them
	Unfit     *Unfit         // where the run stopped following Config.Follow; nil if it did not
	Deadlock  error          // the bubble ended with goroutines that can never go on
}

// Available reports whether the binary was built through the wrapper, so that runs can be exact.
func Available() bool { return seam.Present }

// Timers gives the number of timers that can still fire in the caller's bubble, sleeps included, if the run is exact. If it is 0
// and all goroutines of the bubble are blocked, they stay so.
func Timers() int { return seam.Timers() }

// Bubble runs body in a bubble of its own, as [synctest.Test] does, and waits until the bubble has ended. Goroutines of the
// bubble that can never go on are reported in the outcome and left behind.
func Bubble(t *testing.T, cfg Config, body func(t *testing.T)) Outcome {
	t.Helper()
	if !cfg.Exact || !seam.Present {
		return Outcome{Deadlock: bubble(t, body)}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	current = newDecider(cfg)
	seam.Arm(cfg.Seed, decide)
	deadlock := bubble(t, body)
	return current.outcome(deadlock)
}

// bubble turns the panic with which the runtime ends a bubble that cannot go on into an error.
func bubble(t *testing.T, body func(t *testing.T)) (deadlock error) {
	t.Helper()
	defer func() {
		// The runtime's error has no exported type. Panics of the bubble's own goroutines do not come this way: they end
		// the process.
		if r := recover(); r != nil {
			deadlock = fmt.Errorf("%v", r)
		}
	}()
	synctest.Test(t, body)
	return nil
}
