// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// Driver runs a simulator inside a synctest bubble, on the goroutine that made it.
//
// [New], [Driver.Proc], [Driver.Outside], [Driver.Run], [Driver.Inline] and
// [Driver.Close] belong to that goroutine. Every other goroutine of the bubble
// reaches the simulator through [Proc.Call] and [Proc.Post].
type Driver struct {
	sim   *kernel.Sim
	order Order
	goid  uint64

	cause   error // the cancel cause of a crashed incarnation
	current map[*kernel.Node]*Proc
	procs   []*Proc // every incarnation ever made, in order of creation
	outside *Proc
	running *Call // the call whose function runs now, for a panic's report

	batch  []*Call // calls taken from the queue; those before next are done
	next   int
	timer  *time.Timer
	wake   chan struct{} // has room for one; sent to only while asleep
	inline atomic.Bool   // inside Inline, so a call may come from the driver itself

	mu     sync.Mutex // guards what follows, and nothing else
	queue  []*Call
	asleep bool
	closed bool
}

// New returns a driver for s. It must be called inside the bubble, on the goroutine
// that will call Run, before a node of s boots.
func New(s *kernel.Sim, order Order) *Driver {
	d := &Driver{
		sim:     s,
		order:   order,
		goid:    goroutineID(),
		cause:   ErrGone,
		current: make(map[*kernel.Node]*Proc),
		timer:   time.NewTimer(time.Hour),
		wake:    make(chan struct{}, 1),
	}
	d.timer.Stop()
	d.outside = newProc(d, nil)
	s.OnCrash(d.crashed)
	return d
}

// SetCrashCause sets the cause with which the context of an incarnation is
// cancelled when its node crashes. The default is ErrGone.
func (d *Driver) SetCrashCause(err error) { d.cause = err }

// Now returns the virtual time of the bubble. It is safe on any goroutine of it.
func (d *Driver) Now() kernel.Time { return kernel.Time(time.Since(kernel.Epoch)) }

// Run drives the simulator until virtual time reaches until and nothing more is due
// then, until stop returns true, or until the simulator stops. A nil stop never
// does. Run may be called again to go on; calls that are queued between two runs
// wait for the second.
//
// A panic of an event or of a call's function leaves Run as a *[Panic].
func (d *Driver) Run(until kernel.Time, stop func() bool) {
	defer d.explainPanic()
	for {
		synctest.Wait()
		if d.sim.Stopped() || stop != nil && stop() {
			return
		}
		now := d.Now()
		if d.late(now, until) {
			d.sim.Step()
			continue
		}
		d.catchUp(now)
		if d.applyCalls() {
			continue
		}
		next, due := d.sim.Next()
		if due && next <= min(now, until) {
			d.sim.Step()
			continue
		}
		if now >= until {
			return
		}
		if due {
			d.sleep(now, min(next, until))
		} else {
			d.sleep(now, until)
		}
	}
}

// late reports whether an event should have run already: the driver's own goroutine
// slept, so the bubble's clock went past it. Such events come before any call.
func (d *Driver) late(now, until kernel.Time) bool {
	next, ok := d.sim.Next()
	return ok && next < now && next <= until
}

// catchUp moves the kernel's clock to the bubble's, unless an event lies between.
func (d *Driver) catchUp(now kernel.Time) {
	if next, ok := d.sim.Next(); (!ok || next >= now) && d.sim.Now() < now {
		d.sim.AdvanceTo(now)
	}
}

// sleep waits for virtual time to reach t, or for a call.
func (d *Driver) sleep(now, t kernel.Time) {
	d.mu.Lock()
	if len(d.queue) > 0 {
		d.mu.Unlock()
		return
	}
	d.asleep = true
	d.mu.Unlock()
	d.timer.Reset(t.Sub(now))
	select {
	case <-d.timer.C:
	case <-d.wake:
		d.timer.Stop()
	}
}

// Close ends every incarnation: pending and queued calls return ErrGone, and so does
// every later call, at once. The simulator is not touched again.
func (d *Driver) Close() {
	d.mu.Lock()
	d.closed = true
	queued := d.queue
	d.queue = nil
	d.mu.Unlock()
	for _, p := range d.procs {
		p.end(ErrGone)
	}
	for _, c := range append(d.batch[d.next:], queued...) {
		c.Finish(ErrGone)
	}
	d.batch, d.next = nil, 0
}
