// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// deadline is the read or the write deadline of a connection, listener or socket.
type deadline struct {
	timer   timer
	expired bool
}

// init makes the deadline run fn when it passes.
func (d *deadline) init(n *kernel.Node, fn func()) {
	d.timer.init(n, func() {
		d.expired = true
		fn()
	})
}

// set moves the deadline to t; the zero time means none. One that has passed acts at
// once.
func (d *deadline) set(t time.Time) {
	d.timer.stop()
	d.expired = false
	if t.IsZero() {
		return
	}
	if wait := t.Sub(d.timer.node.Sim().Now().Wall()); wait > 0 {
		d.timer.set(wait)
	} else {
		d.timer.run()
	}
}
