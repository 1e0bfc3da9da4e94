// SPDX-License-Identifier: MPL-2.0

package fault_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// newRun returns an injector for ten seconds of three idle servers.
func newRun(seed uint64) (*kernel.Sim, *fault.Injector) {
	s := kernel.New(kernel.Config{Seed: seed})
	env := fault.Env{Sim: s, Net: simnet.New(s, simnet.Config{}), Disk: simdisk.New(s, simdisk.Config{})}
	for _, name := range []string{"a", "b", "c"} {
		s.AddNode(name, nil, kernel.TagServer)
	}
	return s, fault.NewInjector(env, kernel.Time(10*time.Second))
}

func ExampleScript() {
	sim, injector := newRun(1)
	injector.Plan(fault.Script(
		fault.Event{At: 1 * time.Second, Kind: fault.KindCrash, Node: "a", For: 300 * time.Millisecond},
		fault.Event{At: 2 * time.Second, Kind: fault.KindPartition, Groups: [][]string{{"a"}, {"b", "c"}}},
		fault.Event{At: 3 * time.Second, Kind: fault.KindHeal},
	))
	sim.Start()
	if err := injector.Start(); err != nil {
		fmt.Println(err)
	}
	sim.Run()
	if err := injector.Schedule().Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	// 	"faultline_schedule": 1,
	// 	"end": 10000000000,
	// 	"recovery": 0,
	// 	"events": [
	// 		{"id": 1, "at": 1000000000, "kind": "crash", "node": "a"},
	// 		{"id": 2, "at": 1300000000, "kind": "restart", "node": "a", "undoes": 1},
	// 		{"id": 3, "at": 2000000000, "kind": "partition", "groups": [["a"],["b","c"]]},
	// 		{"id": 4, "at": 3000000000, "kind": "heal"}
	// 	]
	// }
}

func ExampleRandom() {
	sim, injector := newRun(7)
	injector.Plan(fault.Random{Rules: []fault.Rule{
		{Kind: fault.KindCrash, Every: time.Second, MinFor: 100 * time.Millisecond, MaxFor: time.Second},
		{Kind: fault.KindPartition, Every: 2 * time.Second, MinFor: time.Second, MaxFor: 2 * time.Second},
	}})
	sim.Start()
	if err := injector.Start(); err != nil {
		fmt.Println(err)
	}
	sim.Run()
	s := injector.Schedule()
	fmt.Println("recovery from", s.Recovery)
	for _, e := range s.Events[:3] {
		fmt.Println(e.At, e.Kind, e.Node)
	}
	// Output:
	// recovery from 7.5s
	// 603.091265ms crash a
	// 931.586218ms restart a
	// 1.287657809s crash a
}

// firstDown is a planner that crashes the node with the lowest name every second,
// if all nodes are up.
type firstDown struct{}

func (firstDown) Name() string { return "first-down" }

func (firstDown) Plan(c *fault.Control) error {
	for at := time.Second; at < c.End(); at += time.Second {
		c.Wake(at, func() (fault.Event, bool) {
			first := c.Nodes(fault.AllNodes)[0]
			return fault.Event{Kind: fault.KindCrash, Node: first.Name(), For: 1500 * time.Millisecond}, c.Down() == 0
		})
	}
	c.Recover(c.End() - time.Second/2)
	return nil
}

func ExamplePlanner() {
	sim, injector := newRun(1)
	injector.Plan(firstDown{})
	sim.Start()
	if err := injector.Start(); err != nil {
		fmt.Println(err)
	}
	sim.Run()
	for _, e := range injector.Schedule().Events[:4] {
		fmt.Println(e.At, e.Kind, e.Node)
	}
	// Output:
	// 1s crash a
	// 2.5s restart a
	// 3s crash a
	// 4.5s restart a
}

func ExampleReplay() {
	schedule, err := fault.ReadSchedule(strings.NewReader(`{
		"faultline_schedule": 1, "end": 10000000000, "recovery": 0,
		"events": [{"id": 1, "at": 1000000000, "kind": "crash", "node": "a"}]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	sim, injector := newRun(1)
	injector.Plan(fault.Replay(schedule))
	sim.Start()
	if err := injector.Start(); err != nil {
		fmt.Println(err)
	}
	sim.Run()
	fmt.Println("a is", sim.Node("a").State())
	// Output:
	// a is down
}

func ExampleReadSchedule() {
	_, err := fault.ReadSchedule(strings.NewReader(`{
		"faultline_schedule": 1, "end": 10, "recovery": 0,
		"events": [{"id": 1, "at": 0, "kind": "crash", "node": "a", "ppm": 5}]
	}`))
	fmt.Println(err)
	// Output:
	// fault: event 1 (crash at 0s), field "ppm": is not a field of kind crash, want only node besides id, at, kind, undoes
}
