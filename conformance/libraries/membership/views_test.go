// SPDX-License-Identifier: MPL-2.0

package membership_test

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// calm is how long a node has to be well until nobody may declare it dead. memberlist gives a suspect at most 24 s to refute
// (SuspicionMaxTimeoutMult times SuspicionMult times ProbeInterval, in a cluster of up to ten). The suspicion can be as old as the last
// fault, or begin when a member that was cut off tells the others whom it took for dead, in the next push and pull: within 30 s.
const calm = 54 * time.Second

// views is what the members see of each other. It belongs to the simulator.
type views struct {
	w     *faultline.World
	nodes []*kernel.Node
	of    map[string]*view
	ill   map[string]kernel.Time // when a node was last not up, or not to be reached by one that is
	doubt map[string]string      // who takes a node for dead that is well
	wrong error
}

// view is what one incarnation of a member sees.
type view struct {
	inc     int
	members []string        // what Members returned last
	joined  map[string]bool // what the events add up to
}

func newViews(w *faultline.World) *views {
	return &views{w: w, of: map[string]*view{}, ill: map[string]kernel.Time{}, doubt: map[string]string{}}
}

// view returns the view of the incarnation that runs.
func (v *views) view(name string) *view {
	inc := v.node(name).Inc()
	if v.of[name] == nil || v.of[name].inc != inc {
		v.of[name] = &view{inc: inc, joined: map[string]bool{}}
	}
	return v.of[name]
}

func (v *views) node(name string) *kernel.Node {
	return v.nodes[slices.IndexFunc(v.nodes, func(n *kernel.Node) bool { return n.Name() == name })]
}

// list notes what Members has returned to a member.
func (v *views) list(by string, members []string) {
	if !v.over() {
		v.view(by).members = members
	}
}

// over reports whether the run is: the members now leave one after the other.
func (v *views) over() bool { return v.w.Sim.Now() >= kernel.Time(duration) }

// event notes what memberlist has told a member about another one.
func (v *views) event(by, about string, e memberlist.NodeEventType) {
	if v.over() {
		return
	}
	switch e {
	case memberlist.NodeJoin:
		v.view(by).joined[about] = true
		if v.doubt[about] == by {
			delete(v.doubt, about)
		}
	case memberlist.NodeLeave:
		delete(v.view(by).joined, about)
		if well := v.w.Sim.Now() - v.ill[about]; well > kernel.Time(calm) {
			v.doubts(by, about, time.Duration(well))
		}
	}
}

// doubts notes that a member takes one for dead that has been well for so long.
func (v *views) doubts(by, about string, well time.Duration) {
	other := v.doubt[about]
	if other == "" {
		v.doubt[about] = by
	} else if other != by && v.wrong == nil {
		v.wrong = fmt.Errorf("%s and %s take %s for dead, which has been up and in everybody's reach for %s", other, by, about, well)
	}
}

// watch is the invariant: it notes who is ill now, and returns what was wrong.
func (v *views) watch() error {
	for _, n := range v.nodes {
		if !v.well(n) {
			v.ill[n.Name()] = v.w.Sim.Now()
			delete(v.doubt, n.Name())
		}
	}
	return v.wrong
}

func (v *views) well(n *kernel.Node) bool {
	return n.State() == kernel.Up && !slices.ContainsFunc(v.nodes, func(m *kernel.Node) bool {
		return m != n && m.State() == kernel.Up && !v.linked(n, m)
	})
}

func (v *views) linked(n, m *kernel.Node) bool {
	return v.w.Net.Reach(n.ID(), m.ID()) && v.w.Net.Reach(m.ID(), n.ID())
}

// complete is the final check: whoever is up sees itself and those that it reaches, and nobody else. So the dead are seen as dead, too.
func (v *views) complete() error {
	for _, n := range v.nodes {
		if n.State() != kernel.Up {
			continue
		}
		want := map[string]bool{n.Name(): true}
		for _, m := range v.nodes {
			if m.State() == kernel.Up && v.linked(n, m) {
				want[m.Name()] = true
			}
		}
		got := v.view(n.Name())
		if members := slices.Sorted(slices.Values(got.members)); !slices.Equal(members, slices.Sorted(maps.Keys(want))) {
			return fmt.Errorf("%s sees %q, and reaches %q", n, members, slices.Sorted(maps.Keys(want)))
		}
		if !maps.Equal(got.joined, want) {
			return fmt.Errorf("events told %s of %q, and Members of %q", n, slices.Sorted(maps.Keys(got.joined)), got.members)
		}
	}
	return nil
}
