// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

func TestSwarmTurnsSomeRulesOn(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(60) {
		some := storm()
		some.Swarm = true
		w := newWorld(seed, 5, 8*time.Second)
		w.run(t, some)
		kinds := map[Kind]int{}
		for _, e := range w.injector.Schedule().Events {
			if e.Undoes == 0 {
				kinds[e.Kind]++
			}
		}
		if len(kinds) == 0 {
			t.Errorf("seed %d: no rule is on", seed)
		}
		seen[fmt.Sprint(len(kinds))] = true
	}
	if len(seen) < 4 {
		t.Errorf("60 seeds have only %d different numbers of kinds", len(seen))
	}
}

func TestSwarmOfOneRule(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorld(seed, 3, 10*time.Second)
		w.run(t, Random{Swarm: true, Rules: []Rule{{Kind: KindClockJump, Every: 100 * time.Millisecond}}})
		if len(w.injector.Schedule().Events) == 0 {
			t.Errorf("seed %d: the only rule is off", seed)
		}
	}
}

func TestDamageIsBounded(t *testing.T) {
	rules := []Rule{
		{Kind: KindCorrupt, Every: 100 * time.Millisecond, Magnitude: 100},
		{Kind: KindMisdirectWrite, Every: 300 * time.Millisecond},
	}
	for _, test := range []struct {
		max, want int
	}{{0, 2}, {1, 1}, {4, 4}, {-1, 5}} {
		most := 0
		for seed := range uint64(10) {
			w := newWorld(seed, 5, 5*time.Second)
			w.env.Sim.OnEvent(func() {
				n := 0
				for _, s := range w.env.Sim.Nodes() {
					if s.HasTag(kernel.TagServer) && w.env.Disk.Volume(s).Suspect() {
						n++
					}
				}
				most = max(most, n)
			})
			w.run(t, Random{MaxDamaged: test.max, Rules: rules})
		}
		if most != test.want {
			t.Errorf("MaxDamaged %d: up to %d of 5 servers were damaged, want %d", test.max, most, test.want)
		}
	}
}

func TestCoreIsMendedAndTheRestIsNot(t *testing.T) {
	for seed := range uint64(30) {
		w := newWorld(seed, 5, 10*time.Second)
		r := storm()
		r.Core = 3
		w.run(t, r)
		var core, broken []*kernel.Node
		cutOff := func(n *kernel.Node) bool { return !w.reach(n.Name(), "c1") && !w.reach("c1", n.Name()) }
		for _, n := range w.env.Sim.Nodes() {
			if n.State() != kernel.Up || cutOff(n) && n.Name() != "c1" {
				broken = append(broken, n)
			} else {
				core = append(core, n)
			}
		}
		if len(core) != 4 || len(broken) != 2 {
			t.Fatalf("seed %d: core %v, broken %v, want 3 servers and the client, and 2 servers", seed, core, broken)
		}
		for _, a := range core {
			if a.Drift() != 0 || w.env.Disk.Volume(a).Capacity() > 0 {
				t.Errorf("seed %d: %s is not mended", seed, a.Name())
			}
			for _, b := range core {
				if !w.reach(a.Name(), b.Name()) {
					t.Errorf("seed %d: %s of the core does not reach %s", seed, a.Name(), b.Name())
				}
			}
		}
		checkReplay(t, seed, w)
	}
}

// checkReplay runs the schedule of w again and wants the same trace.
func checkReplay(t *testing.T, seed uint64, w *world) {
	t.Helper()
	again := newWorld(seed, 5, 10*time.Second)
	again.run(t, Replay(w.injector.Schedule()))
	if again.env.Sim.TraceHash() != w.env.Sim.TraceHash() {
		t.Errorf("seed %d: the replay differs", seed)
	}
}

func TestCoreIsChecked(t *testing.T) {
	for _, test := range []struct {
		r    Random
		want string
	}{
		{Random{Core: -1}, "Core is -1"},
		{Random{Core: 4}, "Core is 4, want 0 to the 3 servers"},
		{Random{Core: 2, Recovery: -1}, "needs a recovery window"},
	} {
		w := newWorld(1, 3, time.Second)
		if err := w.start(test.r); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want an error with %q", test.r, err, test.want)
		}
	}
	if m := (Random{MaxDamaged: -1}); m.maxDamaged(nil) != math.MaxInt {
		t.Error("a negative MaxDamaged is a limit")
	}
}
