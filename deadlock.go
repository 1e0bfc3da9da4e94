// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/sched"
)

// Goroutines of a process carry its name and incarnation as a pprof label, which the go statement passes on. Stacks print
// labels if GODEBUG says so, and so do the runtime's own crash reports: a panic in any goroutine names its process.

// processLabel is the key of that label.
const processLabel = "faultline.process"

// labelled returns ctx with the label of the process, for code that sets labels of its own with pprof.Do.
func (p *Process) labelled(ctx context.Context) context.Context {
	return pprof.WithLabels(ctx, pprof.Labels(processLabel, p.label()))
}

// printLabels makes stacks print labels until restore is called.
func printLabels() (restore func()) {
	const name, setting = "GODEBUG", "tracebacklabels=1"
	old, had := os.LookupEnv(name)
	os.Setenv(name, strings.TrimPrefix(old+","+setting, ","))
	return func() {
		if had {
			os.Setenv(name, old)
		} else {
			os.Unsetenv(name)
		}
	}
}

// deadlock is a process that cannot go on.
type deadlock struct {
	process *Process
	waiting []goroutine // all that are left of it
}

// findDeadlock looks for a process of which the rest cannot go on: like the runtime's own "all goroutines are asleep", but
// for one process and after its context was cancelled. A process whose function has returned only leaks its goroutines,
// unless one of them waits for a lock, which nobody means to do for ever.
//
// Without the seam there is no verdict: whether a timer will fire is not known.
func (b *bubble) findDeadlock(left []goroutine) *deadlock {
	if !b.a.exact || sched.Timers() > 0 {
		return nil
	}
	return b.firstDeadlock(left, func(d *deadlock) bool {
		return (d.overLock() || !d.process.returned.Load()) && !slices.ContainsFunc(d.waiting, goroutine.mayGoOn)
	})
}

// findLockedOut is for the time when nothing is left in the world that could end by itself: a goroutine that still waits for a
// lock waits for ever.
func (b *bubble) findLockedOut(left []goroutine) *deadlock {
	return b.firstDeadlock(left, (*deadlock).overLock)
}

// firstDeadlock looks for a process of which something is left that is a deadlock, in the order of the nodes. What is left of a crashed
// incarnation is none.
func (b *bubble) firstDeadlock(left []goroutine, is func(*deadlock) bool) *deadlock {
	for _, p := range b.processes {
		d := &deadlock{p, ofProcess(left, p)}
		if !p.crashed() && len(d.waiting) > 0 && is(d) {
			return d
		}
	}
	return nil
}

func (d *deadlock) overLock() bool { return slices.ContainsFunc(d.waiting, goroutine.waitsForLock) }

func ofProcess(list []goroutine, p *Process) []goroutine {
	var own []goroutine
	for _, g := range list {
		if g.process == p.label() {
			own = append(own, g)
		}
	}
	return own
}

// waitsForLock reports whether the goroutine waits for a Mutex or a RWMutex.
func (g goroutine) waitsForLock() bool {
	return strings.HasPrefix(g.state, "sync.Mutex.") || strings.HasPrefix(g.state, "sync.RWMutex.")
}

// mayGoOn reports whether something other than the goroutines of its process can wake the goroutine: it runs, waits for the
// simulated world, or waits for ever on purpose.
func (g goroutine) mayGoOn() bool {
	for _, state := range asleep {
		if strings.HasPrefix(g.state, state) {
			return strings.Contains(g.text, "/shims/driver.(*Proc).Call(")
		}
	}
	return true
}

// asleep are the states, as the runtime prints them, of goroutines that wait for others. Those on purpose, "select (no cases)" and
// the ones on a nil channel, are not among them.
var asleep = []string{
	"chan receive (durable)", "chan send (durable)", "select (durable)", "sync.WaitGroup.Wait", "sync.Cond.Wait",
	"sync.Mutex.", "sync.RWMutex.",
}

func (d *deadlock) failure() *failure {
	return &failure{
		kind:    KindDeadlock,
		check:   d.process.Name(),
		message: fmt.Sprintf("%s cannot go on: nothing can wake what is left of it\n%s", d.process.label(), summarize(d.waiting)),
	}
}
