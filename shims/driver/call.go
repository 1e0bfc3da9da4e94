// SPDX-License-Identifier: MPL-2.0

package driver

// Call is one request of a goroutine to the simulator. Its methods belong to the
// driver's goroutine.
type Call struct {
	proc     *Proc
	key      string
	fn       func(*Call)
	done     chan error // nil if nobody waits
	aborts   []func()
	finished bool
	inline   bool
	err      error // the result of an inline call

	linked     bool
	prev, next *Call
}

// Call runs fn on the driver's goroutine, as a simulator event of its own at the
// present virtual time, and blocks the caller until fn, or an event that fn
// prepared, calls c.Finish. It returns what Finish was given. Any goroutine of the
// bubble may use it.
//
// The key orders calls of one node that are made at one instant under ByKey; a name
// of the object and the operation does well.
//
// While the node is paused, calls wait and are applied in order when it resumes.
// ErrGone is the result if the incarnation has ended, ends while the call is
// pending, or if the driver is closed; a call that was not applied by then never is.
func (p *Proc) Call(key string, fn func(c *Call)) error {
	d := p.driver
	c := &Call{proc: p, key: key, fn: fn}
	if d.inline.Load() && goroutineID() == d.goid {
		return d.callInline(c)
	}
	c.done = make(chan error, 1)
	if !d.enqueue(c) {
		return ErrGone
	}
	return <-c.done
}

// Post is Call for a caller that does not wait: fn runs like a call's function, or
// never if the incarnation ends before. It never blocks.
func (p *Proc) Post(key string, fn func()) {
	p.driver.enqueue(&Call{proc: p, key: key, fn: func(c *Call) {
		fn()
		c.Finish(nil)
	}})
}

// enqueue leaves c for the driver and wakes it if it sleeps.
func (d *Driver) enqueue(c *Call) bool {
	if c.proc.dead.Load() {
		return false
	}
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return false
	}
	d.queue = append(d.queue, c)
	wake := d.asleep
	d.asleep = false
	d.mu.Unlock()
	if wake {
		select {
		case d.wake <- struct{}{}:
		default: // an earlier wake that the driver has not seen yet will do
		}
	}
	return true
}

func (d *Driver) isClosed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closed
}

// applyCalls applies the calls that are queued now and reports whether there were
// any. Those that a stop of the simulator left over are kept.
func (d *Driver) applyCalls() bool {
	if d.next == len(d.batch) {
		d.take()
	}
	if d.next == len(d.batch) {
		return false
	}
	for d.next < len(d.batch) && !d.sim.Stopped() {
		c := d.batch[d.next]
		d.batch[d.next] = nil
		d.next++
		d.apply(c)
	}
	return true
}

func (d *Driver) take() {
	d.mu.Lock()
	d.queue, d.batch = d.batch[:0], d.queue
	d.asleep = false
	d.mu.Unlock()
	d.next = 0
	d.order.arrange(d.batch)
}

func (d *Driver) apply(c *Call) {
	if c.proc.dead.Load() {
		c.Finish(ErrGone)
		return
	}
	c.proc.link(c)
	d.sim.Exec(func() { c.start() })
}

// start runs the call's function now, or when a paused node resumes.
func (c *Call) start() {
	if p := c.proc; p.node != nil {
		p.node.Do(p.inc, c.run)
	} else {
		c.run()
	}
}

func (c *Call) run() {
	if c.finished {
		return
	}
	d := c.proc.driver
	d.sim.SetCause(c.proc.cause)
	outer := d.running
	d.running = c
	c.fn(c)
	d.running = outer
}

// Finish ends the call with the given result and wakes its caller. Only the first
// Finish of a call counts.
func (c *Call) Finish(err error) {
	if c.finished {
		return
	}
	c.finished = true
	p := c.proc
	p.unlink(c)
	if cause := p.driver.sim.Cause(); cause != 0 {
		p.cause = cause
	}
	c.fn, c.aborts, c.err = nil, nil, err
	if c.done != nil {
		c.done <- err
	}
}

// OnAbort registers fn to run if the incarnation ends while the call is pending,
// before the call returns ErrGone. Functions run in reverse order of registration.
func (c *Call) OnAbort(fn func()) { c.aborts = append(c.aborts, fn) }

// Pending reports whether Finish has not been called yet.
func (c *Call) Pending() bool { return !c.finished }

// Proc returns the incarnation that made the call.
func (c *Call) Proc() *Proc { return c.proc }

// Inline reports whether the call was made on the driver's goroutine, see
// [Driver.Inline]. Such a call must be finished before its function returns, so no
// latency can be charged to it.
func (c *Call) Inline() bool { return c.inline }

// abort ends a pending call of an incarnation that has ended.
func (c *Call) abort() {
	for i := len(c.aborts) - 1; i >= 0; i-- {
		c.aborts[i]()
	}
	c.Finish(ErrGone)
}
