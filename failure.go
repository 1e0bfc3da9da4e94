// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"errors"
	"fmt"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// Kind says why a seed failed.
type Kind string

// The kinds of failure.
const (
	KindInvariant   Kind = "invariant"   // an invariant returned an error
	KindFinal       Kind = "final"       // a final check returned an error
	KindPanic       Kind = "panic"       // code under test panicked
	KindFail        Kind = "fail"        // the test, a process or the simulator gave an error
	KindLimit       Kind = "limit"       // the run reached Options.MaxEvents
	KindDeterminism Kind = "determinism" // two runs of the seed differ
	KindDeadlock    Kind = "deadlock"    // goroutines of a process, or of the whole run, are blocked for good
	KindLeak        Kind = "leak"        // goroutines were left at the end of the run
	KindSetup       Kind = "setup"       // the test is put together wrongly
	KindStall       Kind = "stall"       // the run made no progress in real time
)

// checkRace is the check of a failure that the race detector caused.
const checkRace = "data race"

func raceFailure() *failure {
	return &failure{kind: KindFail, check: checkRace, message: "the race detector found a data race; its report is above"}
}

// moment is a place in a run.
type moment struct {
	at    kernel.Time
	event int
}

func (m moment) String() string { return fmt.Sprintf("t=%v (event %d)", m.at, m.event) }

// failure is why an attempt failed. It is an error so that it can travel through
// kernel.Sim.Fail.
type failure struct {
	moment
	kind    Kind
	check   string // what failed: a name that stays the same from run to run
	message string // details, one or more lines
	stack   string // of a panic
	place   place  // of the check, if it has one
	err     error  // the user's error, if there is one
}

// headlines give the first line of a report. The check is their only argument.
var headlines = map[Kind]string{
	KindInvariant:   "invariant %q violated",
	KindFinal:       "final check %q failed",
	KindPanic:       "panic in %s",
	KindFail:        "failed in %s",
	KindLimit:       "limit of %s reached",
	KindDeterminism: "two runs of this seed differ in their %s",
	KindDeadlock:    "deadlock in %s",
	KindLeak:        "leaked %s at the end of the run",
	KindSetup:       "the test is set up wrongly: %s",
	KindStall:       "the %s made no progress",
}

func (f *failure) headline() string {
	what := fmt.Sprintf(headlines[f.kind], f.check)
	if f.timeless() {
		return what
	}
	return fmt.Sprintf("%s at %v", what, f.moment)
}

// timeless reports whether nobody lived to say when it happened.
func (f *failure) timeless() bool {
	var d *death
	return errors.As(f.err, &d)
}

func (f *failure) signature() string { return string(f.kind) + ":" + f.check }

func (f *failure) Error() string { return f.headline() + ": " + f.message }

func (f *failure) Unwrap() error { return f.err }

// setupError is raised as a panic by the methods of World when the body builds
// something that cannot be. It ends the whole Run.
type setupError struct{ message string }

func (e *setupError) Error() string { return e.message }

func setupf(format string, args ...any) *setupError {
	return &setupError{fmt.Sprintf(format, args...)}
}

// simFailure turns the simulator's failure into ours. The simulator knows best when
// it happened.
func simFailure(k *kernel.Failure, limit int) *failure {
	at := moment{k.At, k.Event}
	var f *failure
	switch {
	case errors.As(k.Err, &f):
		f.moment = at
		return f
	case errors.Is(k.Err, kernel.ErrLimit):
		message := fmt.Sprintf("the run wanted more than %d events; raise Options.MaxEvents, or set AllowLimit", limit)
		return &failure{kind: KindLimit, check: "events", message: message, err: k.Err, moment: at}
	}
	return &failure{kind: KindFail, check: "the simulation", message: k.Err.Error(), err: k.Err, moment: at}
}
