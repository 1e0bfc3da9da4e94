// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/history"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// World is what one attempt at one seed runs in. The body given to [Run] fills it
// with nodes, faults and checks; it is new for every attempt, and so must be
// everything that the body builds from it.
//
// Its methods and fields belong to the body, to callbacks of the simulator, and to
// invariants and final checks. A process uses [Process] instead, and may use
// [World.T].
type World struct {
	// Sim is the simulator: virtual time, events, nodes and the trace.
	Sim *kernel.Sim
	// Net is the simulated network.
	Net *simnet.Network
	// Disk holds the simulated volumes, one per node.
	Disk *simdisk.Disk
	// History records what clients did, for checks over the whole run.
	History *history.History

	a *attempt
}

// check is a named function of the user that judges the run.
type check struct {
	name  string
	fn    func() error
	place place // where it was added
}

// AddServer adds an event-style node tagged as a server. boot runs at virtual time
// 0 and again at each restart, and sets up handlers and timers.
func (w *World) AddServer(name string, boot func(n *kernel.Node)) *kernel.Node {
	return w.addNode(name, boot, boot != nil, kernel.TagServer)
}

// AddClient adds an event-style node tagged as a client, which planners leave
// alone unless a rule says otherwise.
func (w *World) AddClient(name string, boot func(n *kernel.Node)) *kernel.Node {
	return w.addNode(name, boot, boot != nil, kernel.TagClient)
}

// AddProcess adds a node tagged as a server that runs fn as ordinary Go code, on a
// goroutine of its own: at virtual time 0, and again at each restart with a new
// [Process]. It is for goroutine mode only.
//
// ctx is cancelled when the node crashes, with cause [ErrCrashed], and at the end
// of the run. An error that fn returns before that fails the seed. When fn returns,
// the process is over: its connections and files are closed, its context is cancelled
// with cause [ErrExited], and what goroutines that it leaves behind ask of Process
// fails. The node stays up, and a planner may crash and restart it.
func (w *World) AddProcess(name string, fn func(ctx context.Context, p *Process) error) *kernel.Node {
	return w.addProcess(name, fn, kernel.TagServer)
}

// AddClientProcess is AddProcess for a node tagged as a client.
func (w *World) AddClientProcess(name string, fn func(ctx context.Context, p *Process) error) *kernel.Node {
	return w.addProcess(name, fn, kernel.TagClient)
}

func (w *World) addProcess(name string, fn func(context.Context, *Process) error, tag string) *kernel.Node {
	b := w.a.bubble
	if b == nil {
		panic(setupf("node %q is a process, and Options.Mode is ModeEvent; processes need ModeGoroutine", name))
	}
	boot := func(n *kernel.Node) { b.launch(n, fn) }
	return w.addNode(name, boot, fn != nil, tag, kernel.TagProcess)
}

func (w *World) addNode(name string, boot func(*kernel.Node), hasBoot bool, tags ...string) *kernel.Node {
	switch {
	case !hasBoot:
		panic(setupf("node %q has a nil function; it needs one that boots it", name))
	case w.Sim.Node(name) != nil:
		panic(setupf("there are two nodes named %q; each needs a name of its own", name))
	case !validNodeName(name):
		panic(setupf("node name %q is not valid; it accepts letters, digits, '.', '_' and '-'", name))
	}
	return w.Sim.AddNode(name, boot, tags...)
}

func validNodeName(name string) bool {
	for _, c := range []byte(name) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		digit := '0' <= c && c <= '9'
		if !letter && !digit && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return name != ""
}

// Plan adds planners of faults. With FAULTLINE_SCHEDULE they are left out.
func (w *World) Plan(planners ...fault.Planner) {
	for _, p := range planners {
		if p == nil {
			panic(setupf("World.Plan was given a nil planner"))
		}
	}
	w.a.planners = append(w.a.planners, planners...)
}

// Role names a changing set of nodes, such as the leader, for the rules of planners.
// fn is called when a fault is about to be applied.
func (w *World) Role(name string, fn func() []*kernel.Node) {
	if _, ok := w.a.roles[name]; ok || name == "" || fn == nil {
		panic(setupf("role %q needs a name of its own and a function", name))
	}
	w.a.roles[name] = fn
}

// Invariant adds a check that runs after every event of the run. The first error
// ends the run.
func (w *World) Invariant(name string, fn func() error) {
	w.a.invariants = addCheck(w.a.invariants, "invariant", check{name, fn, callerPlace()})
}

// Final adds a check that runs once, at the end of a run that has not failed. In
// goroutine mode the processes have had their time to stop by then.
func (w *World) Final(name string, fn func() error) {
	w.a.finals = addCheck(w.a.finals, "final check", check{name, fn, callerPlace()})
}

func addCheck(checks []check, what string, c check) []check {
	if c.name == "" || c.fn == nil {
		panic(setupf("%s %q needs a name and a function", what, c.name))
	}
	for _, other := range checks {
		if other.name == c.name {
			panic(setupf("there are two of %s %q; each needs a name of its own", what, c.name))
		}
	}
	return append(checks, c)
}

// Rand returns the random stream workload/<label> of the seed. It is not safe for
// use by several goroutines: give each process a label of its own, or use
// [Process.Rand].
func (w *World) Rand(label string) *rand.Rand { return w.Sim.Rand("workload/" + label) }

// T returns what reports to the test that runs: failures and logs of the attempt.
// It may be used by any goroutine. Fatal and Skip end the attempt.
func (w *World) T() testing.TB { return w.a.tb }
