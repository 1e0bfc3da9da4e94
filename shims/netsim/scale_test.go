// SPDX-License-Identifier: MPL-2.0

package netsim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/netsim"
)

// mesh adds processes each of which connects to all others, and counts connections.
func (w *world) mesh(size int, connected *int) {
	for i := range size {
		w.process(fmt.Sprint("n", i), func(h *netsim.Host, p *driver.Proc) {
			l, err := h.Listen("tcp", ":80")
			if err != nil {
				w.t.Error(err)
				return
			}
			w.wg.Go(func() {
				for {
					if _, err := l.Accept(); err != nil {
						return
					}
				}
			})
			for j := range size {
				if j == i {
					continue
				}
				if _, err := h.Dial("tcp", fmt.Sprintf("n%d:80", j)); err != nil {
					w.t.Error(err)
				}
				*connected++
			}
			<-p.Context().Done()
		})
	}
}

// What a connection costs does not depend on how many there are.
func TestMeshCostsTheSameForEachConnection(t *testing.T) {
	perConn := func(size int) float64 {
		var events float64
		inWorld(t, options{link: fixed, quiet: true}, func(w *world) {
			connected := 0
			w.mesh(size, &connected)
			w.runUntil(func() bool { return connected == size*(size-1) })
			events = float64(w.sim.Events()) / float64(connected)
		})
		return events
	}
	// The dial, the two segments of the handshake that the dialer waits for, the third, and Accept are five.
	if few, many := perConn(5), perConn(40); few > 8 || many > few {
		t.Errorf("a connection takes %.1f events among 5 processes and %.1f among 40; want at most 8", few, many)
	}
}

// Idle connections share their keep-alive checks, so that time passes as fast with a thousand of them as with ten.
func TestIdleConnectionsShareTheirTicks(t *testing.T) {
	perHour := func(conns int) int {
		var events int
		inWorld(t, options{link: fixed}, func(w *world) {
			w.idle(t, conns)
			w.run(time.Minute)
			before := w.sim.Events()
			w.run(time.Hour)
			events = w.sim.Events() - before
		})
		return events
	}
	few, many := perHour(10), perHour(1000)
	// Two machines check each 15 s, in at most 16 groups. Dials of one client take two seconds, which is three groups.
	if perGroup := 2 * 3600 / 15; few > perGroup || many > 4*perGroup {
		t.Errorf("an hour takes %d events with 10 idle connections and %d with 1000; want at most %d and %d", few, many, perGroup, 4*perGroup)
	}
}
