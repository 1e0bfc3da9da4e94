// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"testing"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// eventEngine runs callbacks on the goroutine of the attempt.
type eventEngine struct{ a *attempt }

func (e eventEngine) moment() moment { return moment{e.a.sim.Now(), e.a.sim.Events()} }

func (e eventEngine) user(fn func()) { fn() }

func (e eventEngine) run(end kernel.Time) { e.a.sim.RunUntil(end) }

func (e eventEngine) drain() {}

// runEvent runs an attempt in event mode. t is the seed's subtest, which nothing but the
// race detector has failed so far, and which asks the detector when it is asked.
func (a *attempt) runEvent(t testing.TB) {
	a.engine = eventEngine{a}
	a.guard(a.conduct)
	a.guard(a.tb.runCleanups)
	if t.Failed() {
		a.conclude(raceFailure())
	}
}
