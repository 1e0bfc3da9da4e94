// SPDX-License-Identifier: MPL-2.0

package netsim_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// world is a simulation whose nodes run functions as goroutines. A function that
// returns ends its process, while the node stays up.
type world struct {
	t   *testing.T
	sim *kernel.Sim
	net *simnet.Network
	drv *driver.Driver
	st  *netsim.Stack
	wg  sync.WaitGroup
}

// options are what a test may change of a world.
type options struct {
	seed uint64
	link simnet.LinkConfig
	cfg  netsim.Config

	quiet bool // keep no records
}

// inWorld builds a world in a bubble and checks at its end that no goroutine is left.
func inWorld(t *testing.T, o options, body func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, o)
		body(w)
		w.drv.Close()
		w.wg.Wait()
	})
}

func newWorld(t *testing.T, o options) *world {
	s := kernel.New(kernel.Config{Seed: o.seed, Record: !o.quiet, MaxEvents: 1 << 40})
	w := &world{t: t, sim: s, net: simnet.New(s, simnet.Config{Link: o.link})}
	w.drv = driver.New(s, driver.Arrival)
	w.st = netsim.New(s, w.net, o.cfg)
	return w
}

// process adds a node. fn runs in each of its incarnations.
func (w *world) process(name string, fn func(h *netsim.Host, p *driver.Proc)) *kernel.Node {
	return w.sim.AddNode(name, func(n *kernel.Node) {
		p := w.drv.Proc(n)
		h := w.st.Host(p)
		w.wg.Go(func() {
			fn(h, p)
			p.Post("main returned", func() { p.End(nil) })
		})
	}, kernel.TagProcess)
}

// run runs the world for d of virtual time.
func (w *world) run(d time.Duration) {
	w.t.Helper()
	w.sim.Start()
	w.drv.Run(w.sim.Now().Add(d), nil)
	if err := w.sim.Err(); err != nil {
		w.t.Fatal(err)
	}
}

// runUntil runs the world until stop returns true.
func (w *world) runUntil(stop func() bool) {
	w.sim.Start()
	w.drv.Run(kernel.Time(1<<62), stop)
}

// at runs fn as an event at the given time of the run.
func (w *world) at(d time.Duration, fn func()) { w.sim.At(kernel.Time(d), fn) }

// count returns how many records of the kind there are.
func (w *world) count(kind kernel.Kind) int {
	n := 0
	for _, r := range w.sim.Records() {
		if r.Kind == kind {
			n++
		}
	}
	return n
}

// pair runs a server that accepts one connection, and a client that dials it.
func (w *world) pair(server, client func(c *netsim.Conn)) (s, c *kernel.Node) {
	s = w.process("server", func(h *netsim.Host, _ *driver.Proc) {
		l, err := h.Listen("tcp", ":80")
		if err != nil {
			w.t.Error(err)
			return
		}
		conn, err := l.Accept()
		if err != nil {
			return // a crash
		}
		server(conn.(*netsim.Conn))
	})
	c = w.process("client", func(h *netsim.Host, _ *driver.Proc) {
		conn, err := h.Dial("tcp", "server:80")
		if err != nil {
			w.t.Errorf("dial: %v", err)
			return
		}
		client(conn.(*netsim.Conn))
	})
	return s, c
}

// now returns the virtual time since the start of the run.
func now() time.Duration { return time.Since(kernel.Epoch) }
