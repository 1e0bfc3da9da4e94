// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"sync/atomic"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/fsx"
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// ErrCrashed is the cause with which the context of a process is cancelled when its
// node crashes, and what [Process.Do] returns from then on.
var ErrCrashed = errors.New("faultline: the node of this process has crashed")

// ErrExited is ErrCrashed for a process whose function has returned.
var ErrExited = errors.New("faultline: the function of this process has returned")

// Process is one incarnation of a node that runs as ordinary Go code. All of it may
// be used by any goroutine that the process starts. Once the node has crashed, or the
// process function has returned, goroutines that are left over change nothing: their
// calls fail.
type Process struct {
	// Net is the node's place in the simulated network.
	Net *netsim.Host
	// FS is the node's simulated volume.
	FS fsx.FS

	b     *bubble
	proc  *driver.Proc
	rand  *rand.Rand
	clock *Clock

	returned atomic.Bool // the process function
}

// Name returns the node's name, which is also its host name.
func (p *Process) Name() string { return p.proc.Node().Name() }

// Incarnation returns 1 for the first boot of the node and one more for each restart.
func (p *Process) Incarnation() int { return p.proc.Inc() }

// Rand returns the random stream of this incarnation, node/<name>/<incarnation>.
func (p *Process) Rand() *rand.Rand { return p.rand }

// Clock returns the node's clock, which faults can move.
func (p *Process) Clock() *Clock { return p.clock }

// Logf adds a log record of the node to the trace.
func (p *Process) Logf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.proc.Post("log", func() { p.proc.Node().Logf("%s", text) })
}

// Do runs fn on the simulator, as an event of its own, and waits for it: the way to
// record history or to touch what invariants read. It returns ErrCrashed or
// ErrExited, without having run fn, if the incarnation has ended. On a paused node it
// waits. fn must not block.
func (p *Process) Do(fn func()) error {
	err := p.proc.Call("do", func(c *driver.Call) {
		fn()
		c.Finish(nil)
	})
	switch {
	case !errors.Is(err, driver.ErrGone):
		return err
	case context.Cause(p.proc.Context()) == ErrExited:
		return ErrExited
	}
	return ErrCrashed
}

// label names the incarnation in messages.
func (p *Process) label() string { return fmt.Sprintf("%s#%d", p.Name(), p.Incarnation()) }

// main is the first goroutine of the incarnation.
func (p *Process) main(fn func(context.Context, *Process) error) {
	returned := false
	var err error
	defer func() {
		var v any
		if !returned {
			v = recover() // nil after runtime.Goexit
		}
		p.returned.Store(true)
		p.exited(err, v)
	}()
	ctx := p.labelled(p.proc.Context())
	pprof.SetGoroutineLabels(ctx)
	err = fn(ctx, p)
	returned = true
}

// exited judges how the process function ended. What a ghost does is no failure.
func (p *Process) exited(err error, panicked any) {
	var f *failure
	switch {
	case p.crashed():
		return
	case panicked != nil:
		f = panicFailure(panicked, debug.Stack())
		f.message = p.label() + ": " + f.message
	case err != nil && p.proc.Context().Err() == nil:
		f = &failure{kind: KindFail, check: p.Name(), message: p.label() + " returned: " + err.Error(), err: err}
	}
	if f != nil {
		p.b.a.report(f)
	}
	text := "returned"
	if err != nil {
		text += ": " + err.Error()
	}
	p.exit(text)
}

// exit ends the incarnation as a kernel ends a process whose main function returns: it closes its sockets and files. The key sorts
// behind those of everything else that the process has asked for at this instant, since its last writes still count.
func (p *Process) exit(text string) {
	p.proc.Call("~exit", func(c *driver.Call) {
		p.b.a.sim.Emit(p.proc.Node(), "exit", text)
		c.Finish(nil)
		p.proc.End(ErrExited)
	})
}

func (p *Process) crashed() bool {
	return errors.Is(context.Cause(p.proc.Context()), ErrCrashed)
}

// launch starts an incarnation; it is the boot function of a process's node.
func (b *bubble) launch(n *kernel.Node, fn func(context.Context, *Process) error) {
	proc := b.driver.Proc(n)
	p := &Process{
		Net:   b.stack.Host(proc),
		FS:    fsx.Sim(proc, b.a.world.Disk.Volume(n)),
		b:     b,
		proc:  proc,
		rand:  lockedRand(n.Rand()),
		clock: newClock(n),
	}
	b.keep(p)
	go p.main(fn)
}

// keep makes p the latest incarnation of its node.
func (b *bubble) keep(p *Process) {
	i, known := b.find(p.proc.Node().ID())
	if known {
		b.processes[i] = p
		return
	}
	b.processes = slices.Insert(b.processes, i, p)
}

// find returns the place of a node's latest incarnation among the processes.
func (b *bubble) find(id kernel.NodeID) (place int, known bool) {
	return slices.BinarySearchFunc(b.processes, id, func(p *Process, id kernel.NodeID) int {
		return cmp.Compare(p.proc.Node().ID(), id)
	})
}
