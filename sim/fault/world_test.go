// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// world is a run of servers s1, s2, ... and one client c1 that exchange messages
// and append to files.
type world struct {
	env      Env
	injector *Injector
	end      kernel.Time
}

func newWorld(seed uint64, servers int, end time.Duration) *world {
	s := kernel.New(kernel.Config{Seed: seed, Record: true})
	w := &world{
		env: Env{Sim: s, Net: simnet.New(s, simnet.Config{}), Disk: simdisk.New(s, simdisk.Config{})},
		end: kernel.Time(end),
	}
	for i := range servers {
		s.AddNode(fmt.Sprintf("s%d", i+1), w.boot, kernel.TagServer)
	}
	s.AddNode("c1", w.boot, kernel.TagClient)
	w.injector = NewInjector(w.env, w.end)
	return w
}

// boot makes n append to its log and greet all others every 50 ms.
func (w *world) boot(n *kernel.Node) {
	v := w.env.Disk.Volume(n)
	w.env.Net.Handle(n, func(kernel.NodeID, any) {
		if f, err := v.OpenFile("/log", os.O_WRONLY|os.O_CREATE, 0o644); err == nil {
			f.Append([]byte("entry"))
			f.Sync()
			f.Close()
		}
	})
	var tick func()
	tick = func() {
		for _, other := range w.env.Sim.Nodes() {
			if other != n {
				w.env.Net.Send(n, other.ID(), "hello")
			}
		}
		n.After(50*time.Millisecond, tick)
	}
	n.After(time.Duration(kernel.Uniform(n.Rand(), 1, 50))*time.Millisecond, tick)
}

// start begins the run with these planners.
func (w *world) start(planners ...Planner) error {
	w.injector.Plan(planners...)
	w.env.Sim.Start()
	return w.injector.Start()
}

// run runs all of it and fails the test if the run or the planners fail.
func (w *world) run(t testing.TB, planners ...Planner) {
	t.Helper()
	if err := w.start(planners...); err != nil {
		t.Fatal(err)
	}
	w.env.Sim.RunUntil(w.end)
	if err := w.env.Sim.Err(); err != nil {
		t.Fatal(err)
	}
}

// runTo runs until t, both included.
func (w *world) runTo(t time.Duration) { w.env.Sim.RunUntil(kernel.Time(t)) }

func (w *world) node(name string) *kernel.Node { return w.env.Sim.Node(name) }

func (w *world) volume(name string) *simdisk.Volume { return w.env.Disk.Volume(w.node(name)) }

func (w *world) reach(from, to string) bool {
	return w.env.Net.Reach(w.node(from).ID(), w.node(to).ID())
}

// faults returns the fault records of the run.
func (w *world) faults() []kernel.Record {
	var list []kernel.Record
	for _, r := range w.env.Sim.Records() {
		if len(r.Kind) > len(recordPrefix) && r.Kind[:len(recordPrefix)] == recordPrefix {
			list = append(list, r)
		}
	}
	return list
}
