// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"errors"
	"runtime/debug"
	"sync/atomic"
	"testing"

	"github.com/hmdsefi/faultline/sched/decisions"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/history"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// attempt is one run of the body at one seed.
type attempt struct {
	spec
	tb     *attemptTB
	sim    *kernel.Sim
	world  *World
	engine engine
	bubble *bubble // the engine, in goroutine mode

	planners   []fault.Planner
	roles      map[string]func() []*kernel.Node
	invariants []check
	finals     []check
	injector   *fault.Injector

	running bool // between the start and the end of the run: invariants apply
	setup   *setupError
	marks   checkpoints

	progress *atomic.Uint64          // outlives the attempt
	reported atomic.Pointer[failure] // the first one, until the simulator takes notice
	goals    goalCounter
}

// spec is what an attempt depends on.
type spec struct {
	test     testing.TB
	body     func(*World)
	opts     Options
	seed     uint64
	record   bool            // keep all records
	live     bool            // logs reach the test
	temp     func() string   // a directory for those of World.T
	exact    bool            // the seed decides over goroutines too
	schedule *fault.Schedule // applied instead of the planners' faults, unless nil

	warmUp    bool
	length    uint64         // about how many decisions an exact run makes; 0 if unknown
	decisions uint64         // that this one will make, if it is known from another attempt
	follow    *decisions.Log // decisions to follow, unless nil
}

// engine runs the simulator: event mode and goroutine mode differ in nothing else.
type engine interface {
	// moment is where the run is. Any goroutine of the attempt may ask.
	moment() moment
	// user runs code of the test that may call into the simulated world.
	user(fn func())
	// run runs until virtual time end, or until the run has failed.
	run(end kernel.Time)
	// drain lets the nodes stop after the end of the run.
	drain()
}

func newAttempt(s spec, progress *atomic.Uint64) *attempt {
	a := &attempt{spec: s, progress: progress, roles: make(map[string]func() []*kernel.Node)}
	a.tb = newAttemptTB(s, a.moment)
	a.sim = kernel.New(kernel.Config{Seed: s.seed, MaxEvents: s.opts.MaxEvents, Record: s.record})
	net := simnet.New(a.sim, s.opts.Net)
	disk := simdisk.New(a.sim, s.opts.Disk)
	a.world = &World{Sim: a.sim, Net: net, Disk: disk, History: history.New(func() kernel.Time { return a.moment().at }), a: a}
	a.sim.OnEvent(a.afterEvent)
	return a
}

// conduct is the attempt from the body to the final checks, on one goroutine.
func (a *attempt) conduct() {
	a.engine.user(func() { a.body(a.world) })
	if a.settle() {
		return
	}
	end := kernel.Time(a.opts.Duration)
	a.injector = fault.NewInjector(fault.Env{
		Sim: a.sim, Net: a.world.Net, Disk: a.world.Disk, Roles: a.roles,
	}, end)
	a.plan()
	a.running = true
	a.sim.Start()
	if err := a.injector.Start(); err != nil {
		panic(setupf("planner %v", err))
	}
	a.engine.run(end)
	a.running = false
	if a.settle() || a.sim.Stopped() && a.limited() {
		return
	}
	a.engine.drain()
	if a.settle() {
		return
	}
	a.engine.user(a.checkFinals)
}

func (a *attempt) plan() {
	if a.schedule != nil {
		a.injector.Plan(fault.Replay(a.schedule))
		return
	}
	a.injector.Plan(a.planners...)
}

// settle hands what was reported outside the simulator to it, and reports whether
// the attempt is over: it has failed or was skipped.
func (a *attempt) settle() bool {
	if f := a.pending(); f != nil {
		a.sim.Fail(f)
	}
	return a.sim.Err() != nil && !a.limited() || a.tb.over()
}

// limited reports whether the run ended at the event limit, and may.
func (a *attempt) limited() bool {
	return a.opts.AllowLimit && errors.Is(a.sim.Err(), kernel.ErrLimit)
}

// afterEvent is the simulator's hook after each event.
func (a *attempt) afterEvent() {
	a.progress.Add(1)
	a.marks.add(a.sim)
	if a.bubble != nil {
		a.bubble.afterEvent()
	}
	if f := a.pending(); f != nil {
		a.sim.Fail(f)
	}
	if a.running && len(a.invariants) > 0 && a.sim.Err() == nil {
		a.engine.user(a.checkInvariants)
	}
}

func (a *attempt) checkInvariants() {
	for _, c := range a.invariants {
		if err := c.fn(); err != nil {
			a.sim.Fail(a.checkFailure(KindInvariant, c, err))
			return
		}
	}
}

func (a *attempt) checkFinals() {
	for _, c := range a.finals {
		if err := c.fn(); err != nil {
			a.sim.Fail(a.checkFailure(KindFinal, c, err))
			return
		}
	}
}

func (a *attempt) checkFailure(k Kind, c check, err error) *failure {
	return &failure{kind: k, check: c.name, message: err.Error(), err: err, moment: a.moment(), place: c.place}
}

// moment is where the run is. Any goroutine of the attempt may ask.
func (a *attempt) moment() moment { return a.engine.moment() }

// report notes a failure from any goroutine of the attempt. The first one wins.
func (a *attempt) report(f *failure) {
	f.moment = a.moment()
	a.reported.CompareAndSwap(nil, f)
}

// conclude is report for the time after the run, outside its bubble.
func (a *attempt) conclude(f *failure) {
	f.moment = moment{a.sim.Now(), a.sim.Events()}
	a.reported.CompareAndSwap(nil, f)
}

// pending returns what was reported so far by goroutines or through World.T, as far
// as it ends the run.
func (a *attempt) pending() *failure {
	if f := a.reported.Load(); f != nil || !a.tb.over() {
		return f
	}
	return a.tb.failure()
}

// over reports whether the run should end before its time.
func (a *attempt) over() bool { return a.pending() != nil || a.tb.over() }

// failure returns why the attempt failed, or nil.
func (a *attempt) failure() *failure {
	if f := a.sim.Failure(); f != nil && !a.limited() {
		return simFailure(f, a.opts.MaxEvents)
	}
	if f := a.pending(); f != nil {
		return f
	}
	return a.tb.failure()
}

// guard runs fn on a goroutine of its own and waits for it, since Fatal and Skip end
// the goroutine that calls them. It turns a panic into a failure.
func (a *attempt) guard(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer a.settle()
		returned := false
		defer func() {
			if returned {
				return
			}
			if v := recover(); v != nil {
				a.panicked(v)
			} else if !a.tb.over() {
				a.report(&failure{kind: KindFail, check: "the test", message: "runtime.Goexit was called"})
			}
		}()
		fn()
		returned = true
	}()
	<-done
}

func (a *attempt) panicked(v any) {
	if err, ok := v.(error); ok && errors.As(err, &a.setup) {
		return
	}
	a.report(panicFailure(v, debug.Stack()))
}
