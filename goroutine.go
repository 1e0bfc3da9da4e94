// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hmdsefi/faultline/sched"
	"github.com/hmdsefi/faultline/sched/decisions"
	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// bubble is the engine of goroutine mode: it runs the simulator inside a
// testing/synctest bubble, beside the goroutines of the processes.
type bubble struct {
	a         *attempt
	driver    *driver.Driver
	stack     *netsim.Stack
	processes []*Process    // the latest incarnation of each, in the order of the nodes
	events    atomic.Int64  // for goroutines that must not touch the simulator
	waited    time.Duration // of Options.Drain
	group     *bubbleGroup

	finished bool // the bubble's main function came to its end
	outcome  sched.Outcome
	leaked   []goroutine
}

func (b *bubble) moment() moment {
	return moment{kernel.Time(time.Since(kernel.Epoch)), int(b.events.Load())}
}

func (b *bubble) user(fn func()) { b.driver.Inline(fn) }

func (b *bubble) run(end kernel.Time) { b.driver.Run(end, b.a.over) }

func (b *bubble) afterEvent() { b.events.Store(int64(b.a.sim.Events())) }

// clockMoved is the simulator's hook after a fault of a node's clock.
func (b *bubble) clockMoved(n *kernel.Node) {
	if i, ok := b.find(n.ID()); ok {
		b.processes[i].clock.sync()
	}
}

// drain cancels the contexts of all processes and gives their goroutines virtual time
// to end. It asks for them at growing intervals, since asking is dear.
func (b *bubble) drain() {
	b.cancel()
	left := b.await(func(d time.Duration) { b.driver.Run(b.driver.Now().Add(d), b.a.over) })
	if d := b.findDeadlock(left); d != nil {
		b.a.report(d.failure())
	}
}

func (b *bubble) cancel() {
	for _, p := range b.processes {
		p.proc.Cancel(context.Canceled)
	}
}

// shutdown ends what is left after the run, however it ended, and notes which
// goroutines do not go.
func (b *bubble) shutdown() {
	if b.driver == nil {
		return
	}
	b.cancel()
	b.driver.Close()
	b.leaked = b.await(time.Sleep)
	if d := b.findLockedOut(b.leaked); d != nil {
		b.a.report(d.failure()) // if it is the first one
	}
}

// await lets time pass until no goroutine of a process is left, or Options.Drain is
// over, and returns who is left.
func (b *bubble) await(pass func(time.Duration)) []goroutine {
	for step := time.Millisecond; ; step *= 2 {
		synctest.Wait()
		left := b.group.others()
		if len(left) == 0 || b.waited >= b.a.opts.Drain {
			return left
		}
		step = min(step, b.a.opts.Drain-b.waited)
		pass(step)
		b.waited += step
	}
}

// main is what runs in the bubble.
func (b *bubble) main(*testing.T) {
	b.group = currentGroup()
	b.a.guard(func() {
		b.driver = driver.New(b.a.sim, b.order())
		b.driver.SetCrashCause(ErrCrashed)
		b.stack = netsim.New(b.a.sim, b.a.world.Net, b.a.opts.NetSim)
		b.a.conduct()
	})
	b.a.guard(b.shutdown)
	b.a.guard(b.a.tb.runCleanups)
	b.finished = true
}

func (b *bubble) order() driver.Order {
	if b.a.exact {
		return driver.Arrival
	}
	return driver.ByKey
}

// runGoroutine runs an attempt in goroutine mode. It must be called outside any
// bubble.
func (a *attempt) runGoroutine(t *testing.T) {
	b := &bubble{a: a}
	a.engine, a.bubble = b, b
	a.sim.OnClock(b.clockMoved)
	// A goroutine of its own, because synctest ends the one that it runs on when
	// the race detector has something to say.
	done := make(chan bool)
	go func() {
		completed := false
		defer func() { done <- completed }()
		b.outcome = sched.Bubble(t, a.schedConfig(), b.main)
		completed = true
	}()
	if completed := <-done; !completed {
		a.conclude(raceFailure())
	}
	b.judge()
}

// schedConfig is how the bubble of the attempt is to be scheduled.
func (a *attempt) schedConfig() sched.Config {
	c := sched.Config{Exact: a.exact, Seed: a.seed, Strategy: a.opts.Strategy, Length: a.length, Follow: a.follow}
	if a.record {
		// The number of another attempt is right unless the two differ, which is when its log is most wanted.
		const some = 1 << 16
		c.Record = int(min(max(a.decisions, a.length)*2+some, decisions.Max))
	}
	return c
}

// judge turns what became of the bubble into a failure, if it is one.
func (b *bubble) judge() {
	switch {
	case b.group == nil && b.outcome.Deadlock != nil:
		b.a.setup = setupf("no bubble can be started: %v%s", b.outcome.Deadlock, bubbleCure(b.outcome.Deadlock))
	case !b.finished && b.outcome.Deadlock != nil:
		b.a.conclude(&failure{kind: KindDeadlock, check: "world", message: summarize(b.group.others())})
	case len(b.leaked) > 0 && b.a.opts.FailOnLeak && b.a.failure() == nil:
		b.a.conclude(&failure{kind: KindLeak, check: "goroutines", message: leakMessage(b.leaked)})
	}
}

// bubbleCure says what to do about a bubble that does not start.
func bubbleCure(err error) string {
	if strings.Contains(err.Error(), "asynctimerchan") {
		return "; the go line of go.mod is older than 1.23, or GODEBUG says so: raise it, or add the line \"godebug asynctimerchan=0\" to go.mod"
	}
	return ""
}
