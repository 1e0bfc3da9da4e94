// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"bytes"
	"errors"
	"runtime"
	"strconv"
)

// ErrWouldBlock is returned by a call that was made on the driver's goroutine and
// could not be finished at once: the driver cannot wait for itself.
var ErrWouldBlock = errors.New("driver: the call would block, and it was made on the goroutine that runs the simulation")

// Inline runs fn, which may use [Proc.Call] on the driver's own goroutine: such calls
// are applied at once, within the event that runs now if there is one. Test bodies,
// invariants and final checks run this way. A call that would have to wait returns
// ErrWouldBlock.
func (d *Driver) Inline(fn func()) {
	outer := d.inline.Swap(true)
	defer d.inline.Store(outer)
	fn()
}

func (d *Driver) callInline(c *Call) error {
	if c.proc.dead.Load() || d.isClosed() {
		return ErrGone
	}
	d.catchUp(d.Now())
	c.inline = true
	c.proc.link(c)
	cause := d.sim.Cause()
	c.start()
	d.sim.SetCause(cause)
	if !c.finished {
		c.abort()
		return ErrWouldBlock
	}
	return c.err
}

// goroutineID returns the number of the calling goroutine. It is used for equality
// only, and only while Inline runs, so it decides nothing in a run.
func goroutineID() uint64 {
	var buf [64]byte
	line := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	id, _ := strconv.ParseUint(string(line[:bytes.IndexByte(line, ' ')]), 10, 64)
	return id
}
