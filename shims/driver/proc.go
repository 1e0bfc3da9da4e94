// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// ErrGone is returned by a call whose incarnation has ended, and by every call once
// the driver is closed.
var ErrGone = errors.New("driver: the process is gone")

// Proc is one incarnation of a node, as its goroutines see it: the place from which
// they call into the simulator.
type Proc struct {
	driver *Driver
	node   *kernel.Node // nil outside any process
	inc    int
	dead   atomic.Bool
	ctx    context.Context
	cancel context.CancelCauseFunc

	// For the driver's goroutine only.
	cause       uint64 // the last record that woke a goroutine of this incarnation
	first, last *Call  // calls that are applied and not finished, oldest first
	atEnd       []func()
}

func newProc(d *Driver, n *kernel.Node) *Proc {
	p := &Proc{driver: d, node: n, cause: d.sim.Cause()}
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	if n != nil {
		p.inc = n.Inc()
	}
	d.procs = append(d.procs, p)
	return p
}

// Proc returns the current incarnation of n, and always the same value for it. If n
// is down, that is the one that crashed last.
func (d *Driver) Proc(n *kernel.Node) *Proc {
	p := d.current[n]
	if p == nil || p.inc != n.Inc() {
		p = newProc(d, n)
		d.current[n] = p
	}
	return p
}

// Outside returns the place from which goroutines that belong to no process call
// into the simulator. It ends when the driver is closed.
func (d *Driver) Outside() *Proc { return d.outside }

func (d *Driver) crashed(n *kernel.Node) {
	if p := d.current[n]; p != nil && p.inc == n.Inc() {
		p.end(d.cause)
	}
}

// Node returns the node, or nil outside any process.
func (p *Proc) Node() *kernel.Node { return p.node }

// Inc returns the number of the incarnation, from 1, or 0 outside any process.
func (p *Proc) Inc() int { return p.inc }

// Driver returns the driver that p calls into.
func (p *Proc) Driver() *Driver { return p.driver }

// Alive reports whether the incarnation goes on. It is safe on any goroutine.
func (p *Proc) Alive() bool { return !p.dead.Load() }

// Context returns a context that lives as long as the incarnation.
func (p *Proc) Context() context.Context { return p.ctx }

// Cancel cancels the incarnation's context with the given cause, and asks nothing
// more of it: calls go on to work. It is safe on any goroutine.
func (p *Proc) Cancel(cause error) { p.cancel(cause) }

// AtEnd registers fn to run on the driver's goroutine when the incarnation ends by a
// crash or by End, but not when the driver is closed. Functions run in the order of
// their registration, after all pending calls have ended.
func (p *Proc) AtEnd(fn func()) { p.atEnd = append(p.atEnd, fn) }

// End ends an incarnation whose node stays up, as the return of a process's main
// function does. It belongs to the driver's goroutine; cause is what its context
// reports. A second End has no effect.
func (p *Proc) End(cause error) {
	p.end(cause)
}

// end first makes the incarnation's end visible to its goroutines, so that whoever
// is woken by ErrGone finds its context cancelled.
func (p *Proc) end(cause error) {
	if p.dead.Swap(true) {
		return
	}
	p.cancel(cause)
	for p.first != nil {
		p.first.abort()
	}
	hooks := p.atEnd
	p.atEnd = nil
	if p.driver.isClosed() {
		return
	}
	for _, fn := range hooks {
		fn()
	}
}

func (p *Proc) id() kernel.NodeID {
	if p.node == nil {
		return 0
	}
	return p.node.ID()
}

func (p *Proc) link(c *Call) {
	c.prev = p.last
	if p.last == nil {
		p.first = c
	} else {
		p.last.next = c
	}
	p.last = c
	c.linked = true
}

func (p *Proc) unlink(c *Call) {
	if !c.linked {
		return
	}
	if c.prev == nil {
		p.first = c.next
	} else {
		c.prev.next = c.next
	}
	if c.next == nil {
		p.last = c.prev
	} else {
		c.next.prev = c.prev
	}
	c.prev, c.next, c.linked = nil, nil, false
}
