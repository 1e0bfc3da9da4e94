// SPDX-License-Identifier: MPL-2.0

// Package sched owns the goroutine side of a run: it runs a function in a synctest bubble, exactly if the binary has the seam,
// and tells what happened. It is the only caller of package runtime's run functions. It must not know the simulator.
package sched

import (
	"fmt"
	"testing"
	"testing/synctest"

	seam "github.com/hmdsefi/faultline/runtime"
)

// Config says how a bubble is run.
type Config struct {
	// Seed decides every choice of an exact run.
	Seed uint64
	// Exact asks for an exact run. It needs the seam, GOMAXPROCS=1 and no other exact run at the same time.
	Exact bool
}

// Outcome is what a bubble tells about itself.
type Outcome struct {
	Exact     bool     // every choice came from the seed: the run was exact and nothing woke it from outside
	Points    uint64   // scheduling points passed
	Switches  uint64   // times the token went to another goroutine
	Hash      uint64   // fold of every scheduling decision
	Outside   uint64   // wake-ups that came from outside the bubble
	OutsideAt []string // the places of the first few of them
	Deadlock  error    // the bubble ended with goroutines that can never go on
}

// Available reports whether the binary was built through the wrapper, so that runs can be exact.
func Available() bool { return seam.Present }

// Bubble runs body in a bubble of its own, as [synctest.Test] does, and waits until the bubble has ended. Goroutines of the
// bubble that can never go on are reported in the outcome and left behind.
func Bubble(t *testing.T, cfg Config, body func(t *testing.T)) Outcome {
	t.Helper()
	exact := cfg.Exact && seam.Present
	if exact {
		seam.Arm(cfg.Seed, yieldRate(cfg.Seed))
	}
	deadlock := bubble(t, body)
	if !exact {
		return Outcome{Deadlock: deadlock}
	}
	census := seam.ReadCensus()
	return Outcome{
		Exact:     census.Outside == 0,
		Points:    census.Points,
		Switches:  census.Switches,
		Hash:      census.Hash,
		Outside:   census.Outside,
		OutsideAt: outsidePlaces(),
		Deadlock:  deadlock,
	}
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

// yieldRates are the probabilities, in 256ths, with which a point yields. No single one finds most bugs (measured in the
// experiment of November 2026: between 0 and 128 of 256 the hit rates of five programs differ by up to 20 times, and not in
// the same direction), so the seed picks one.
var yieldRates = [...]uint8{0, 4, 16, 32, 64, 128}

func yieldRate(seed uint64) uint8 {
	z := (seed ^ seed>>31) * 0x7fb5d329728ea185
	return yieldRates[(z>>32)%uint64(len(yieldRates))]
}
