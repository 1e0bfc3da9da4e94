// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// storm has a rule for every kind that a rule can have.
func storm() Random {
	r := Random{}
	for i, k := range ruleKinds() {
		rule := Rule{Kind: k, Every: ms(150 + 10*i)}
		if s, err := lookup(k); err == nil && s.undo != nil {
			rule.MinFor, rule.MaxFor = ms(20), ms(400)
		}
		if i%2 == 1 {
			rule.Spacing = Uniform
		}
		r.Rules = append(r.Rules, rule)
	}
	return r
}

func TestRandomKeepsItsPromises(t *testing.T) {
	for seed := range uint64(10) {
		w := newWorld(seed, 5, 10*time.Second)
		w.env.Sim.OnEvent(func() {
			if down := w.injector.down(); down > 2 && w.env.Sim.Now() > 0 {
				t.Errorf("seed %d: %d of 5 servers are down or paused at %v", seed, down, w.env.Sim.Now())
			}
		})
		w.run(t, storm())
		s := w.injector.Schedule()
		if s.Recovery != 7500*time.Millisecond || s.End != 10*time.Second {
			t.Fatalf("seed %d: recovery at %v, end at %v", seed, s.Recovery, s.End)
		}
		kinds := map[Kind]int{}
		for _, e := range s.Events {
			if e.Undoes == 0 {
				kinds[e.Kind]++
			}
			if e.At > s.Recovery || e.At == s.Recovery && e.Undoes == 0 {
				t.Errorf("seed %d: event %+v in the recovery window", seed, e)
			}
			if e.Node == "c1" {
				t.Errorf("seed %d: event %+v hits a client", seed, e)
			}
		}
		for _, k := range ruleKinds() {
			if kinds[k] == 0 {
				t.Errorf("seed %d: no fault of kind %s in 7.5 s", seed, k)
			}
		}
		checkMended(t, w)
	}
}

// checkMended checks that nothing that can be mended is left broken.
func checkMended(t *testing.T, w *world) {
	t.Helper()
	for _, n := range w.env.Sim.Nodes() {
		if n.State() != kernel.Up || n.Drift() != 0 || w.env.Disk.Volume(n).Capacity() != 0 {
			t.Errorf("%s is %s with drift %d and capacity %d", n.Name(), n.State(), n.Drift(), w.env.Disk.Volume(n).Capacity())
		}
		for _, other := range w.env.Sim.Nodes() {
			if !w.env.Net.Reach(n.ID(), other.ID()) {
				t.Errorf("%s does not reach %s", n.Name(), other.Name())
			}
			if c := w.link(n.Name(), other.Name()); n != other && c != simnet.DefaultLink() {
				t.Errorf("link from %s to %s is %+v", n.Name(), other.Name(), c)
			}
		}
	}
	if len(w.injector.open) != 0 {
		t.Errorf("%d faults are still on", len(w.injector.open))
	}
}

func TestRandomDependsOnTheSeedAlone(t *testing.T) {
	hashes := map[uint64]bool{}
	for seed := range uint64(5) {
		for range 2 {
			w := newWorld(seed, 3, 5*time.Second)
			w.run(t, storm())
			hashes[w.env.Sim.TraceHash()] = true
		}
	}
	if len(hashes) != 5 {
		t.Errorf("%d different hashes of 5 seeds, twice each", len(hashes))
	}
}

func TestReplayRepeatsTheRun(t *testing.T) {
	for seed := range uint64(10) {
		first := newWorld(seed, 5, 8*time.Second)
		first.run(t, storm(), Script(
			Event{At: 2 * time.Second, Kind: KindCrash, Node: "c1", For: time.Second},
			Event{At: 2 * time.Second, Kind: KindHeal},
		), storm())
		var file bytes.Buffer
		if err := first.injector.Schedule().Write(&file); err != nil {
			t.Fatal(err)
		}
		text := file.String()
		schedule, err := ReadSchedule(&file)
		if err != nil {
			t.Fatal(err)
		}
		second := newWorld(seed, 5, 8*time.Second)
		second.run(t, Replay(schedule))
		a, b := first.env.Sim, second.env.Sim
		if a.TraceHash() != b.TraceHash() || a.Events() != b.Events() {
			t.Errorf("seed %d: the replay has hash %x after %d events, the run %x after %d", seed, b.TraceHash(), b.Events(), a.TraceHash(), a.Events())
		}
		file.Reset()
		if err := second.injector.Schedule().Write(&file); err != nil || file.String() != text {
			t.Errorf("seed %d: the schedule of the replay differs (%v)", seed, err)
		}
	}
}

func TestMaxDown(t *testing.T) {
	crashes := func(maxDown, servers int) int {
		w := newWorld(3, servers, 10*time.Second)
		w.run(t, Random{MaxDown: maxDown, Rules: []Rule{{Kind: KindCrash, Every: ms(100), MinFor: ms(500)}}})
		most := 0
		down := 0
		for _, e := range w.injector.Schedule().Events {
			if e.Kind == KindCrash {
				down++
			} else {
				down--
			}
			most = max(most, down)
		}
		return most
	}
	for _, c := range []struct{ maxDown, servers, want int }{
		{0, 1, 0}, {0, 2, 0}, {0, 3, 1}, {0, 4, 1}, {0, 5, 2}, {1, 1, 1}, {3, 5, 3}, {-1, 5, 0},
	} {
		if got := crashes(c.maxDown, c.servers); got != c.want {
			t.Errorf("MaxDown %d with %d servers: at most %d were down, want %d", c.maxDown, c.servers, got, c.want)
		}
	}
}

func TestRoles(t *testing.T) {
	var hit []string
	for _, role := range []string{"", "client", AllNodes, "odd"} {
		w := newWorld(1, 4, 10*time.Second)
		w.env.Roles = map[string]func() []*kernel.Node{
			// In any order, with repeats: the choice must not depend on it.
			"odd": func() []*kernel.Node {
				list := []*kernel.Node{w.node("s3"), nil, w.node("s1"), w.node("s3")}
				rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				return list
			},
		}
		w.injector = NewInjector(w.env, w.end)
		w.run(t, Random{Rules: []Rule{{Kind: KindClockJump, Every: ms(50), Role: role}}})
		nodes := map[string]bool{}
		for _, e := range w.injector.Schedule().Events {
			nodes[e.Node] = true
		}
		names := ""
		for _, n := range w.env.Sim.Nodes() {
			if nodes[n.Name()] {
				names += n.Name()
			}
		}
		hit = append(hit, names)
	}
	if got := strings.Join(hit, " "); got != "s1s2s3s4 c1 s1s2s3s4c1 s1s3" {
		t.Errorf("hit nodes %s", got)
	}
}

func TestCapacityFaultNeverGivesRoom(t *testing.T) {
	w := newWorld(1, 1, 10*time.Second)
	w.volume("s1").SetCapacity(3000)
	w.run(t, Random{Recovery: -1, Rules: []Rule{{Kind: KindDiskCapacity, Every: ms(100), Magnitude: 5000}}})
	events := w.injector.Schedule().Events
	least := int64(3000)
	for _, e := range events {
		if e.Bytes >= least {
			t.Errorf("%+v follows a capacity of %d", e, least)
		}
		least = e.Bytes
	}
	if len(events) == 0 {
		t.Error("no fault")
	}
}

func TestRecovery(t *testing.T) {
	for _, c := range []struct{ recovery, want time.Duration }{
		{0, 3 * time.Second}, {time.Second, 3 * time.Second}, {4 * time.Second, 0}, {-1, 0},
	} {
		w := newWorld(1, 3, 4*time.Second)
		w.run(t, Random{Recovery: c.recovery, Rules: []Rule{{Kind: KindCrash, Every: ms(100)}}})
		s := w.injector.Schedule()
		if s.Recovery != c.want {
			t.Errorf("Recovery %v: window from %v, want %v", c.recovery, s.Recovery, c.want)
		}
		if down := w.injector.down(); c.recovery < 0 && down != 1 || c.recovery >= 0 && down != 0 {
			t.Errorf("Recovery %v: %d servers are down at the end", c.recovery, down)
		}
	}
}

func TestPlannersHaveStreamsOfTheirOwn(t *testing.T) {
	w := newWorld(1, 3, time.Second)
	w.run(t, storm(), storm(), None(), Script())
	if got := strings.Join(w.injector.Planners(), " "); got != "random random-2 none script" {
		t.Errorf("planners %q", got)
	}
	if s := w.injector.Schedule(); s.Events[0].At == s.Events[1].At {
		t.Error("two planners drew the same time")
	}
}

func TestRuleErrors(t *testing.T) {
	ok := Rule{Kind: KindCrash, Every: time.Second}
	with := func(change func(*Rule)) Random {
		r := ok
		change(&r)
		return Random{Rules: []Rule{ok, r}}
	}
	for want, r := range map[string]Random{
		`Rules[1].Kind (heal): is "heal", want one of partition, isolate, cut, link, crash, pause, clock-jump, clock-drift, sync-fail, disk-capacity, corrupt`: with(func(r *Rule) { r.Kind = KindHeal }),
		`Rules[1].Kind (): is ""`:                                        with(func(r *Rule) { r.Kind = "" }),
		`Rules[1].Every (crash): is 0s, want more than 0`:                with(func(r *Rule) { r.Every = 0 }),
		`Rules[1].Spacing (crash): is 9`:                                 with(func(r *Rule) { r.Spacing = 9 }),
		`Rules[1].MinFor (crash): is -1ns`:                               with(func(r *Rule) { r.MinFor = -1 }),
		`Rules[1].MaxFor (crash): is 1ns, want 0 or at least the MinFor`: with(func(r *Rule) { r.MinFor, r.MaxFor = 2, 1 }),
		`Rules[1].MinFor (clock-jump): must be 0`:                        with(func(r *Rule) { r.Kind, r.MinFor = KindClockJump, 1 }),
		`Rules[1].Magnitude (crash): is 1, want 0 to 0`:                  with(func(r *Rule) { r.Magnitude = 1 }),
		`Rules[1].Magnitude (clock-drift): is 500001`:                    with(func(r *Rule) { r.Kind, r.Magnitude = KindClockDrift, 500_001 }),
		`Rules[1].Link (crash): is only for kind link`:                   with(func(r *Rule) { r.Link.FIFO = true }),
		`Rules[1].Link (link): simnet: link DropPPM`:                     with(func(r *Rule) { r.Kind, r.Link.DropPPM = KindLink, -1 }),
		`Rules[1].Role (crash): unknown role "leader"`:                   with(func(r *Rule) { r.Role = "leader" }),
		`Recovery is 2s, want at most the 1s of the run`:                 {Recovery: 2 * time.Second},
	} {
		err := newWorld(1, 3, time.Second).start(None(), r)
		if err == nil || !strings.HasPrefix(err.Error(), "random: fault: Random.") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if err := newWorld(1, 3, 0).start(Random{}); err == nil || !strings.Contains(err.Error(), "needs a run with an end") {
		t.Errorf("a run without an end: error %v", err)
	}
	w := newWorld(1, 3, time.Second)
	if w.start() != nil || w.injector.Start() == nil {
		t.Error("a second Start gave no error")
	}
}

func TestExponential(t *testing.T) {
	for _, u := range []uint64{0, 1, 2, 3, 1 << 20, 1<<63 - 1, 1 << 63, 3 << 62, math.MaxUint64} {
		got := float64(exponential(u, time.Hour))
		want := -math.Log(float64(max(u, 1))/math.Exp2(64)) * float64(time.Hour)
		if math.Abs(got-want) > float64(time.Hour)*1e-9+want*1e-9 {
			t.Errorf("exponential(%d, 1h) = %v, want %v", u, time.Duration(got), time.Duration(want))
		}
	}
	if d := exponential(1, math.MaxInt64); d != math.MaxInt64 {
		t.Errorf("exponential(1, max) = %d, want the largest duration", d)
	}
	r := rand.New(rand.NewPCG(1, 2))
	const n = 100_000
	sum, aboveMean := time.Duration(0), 0
	for range n {
		d := exponential(r.Uint64(), time.Second)
		sum += d
		if d > time.Second {
			aboveMean++
		}
	}
	if mean := sum / n; mean < 980*time.Millisecond || mean > 1020*time.Millisecond {
		t.Errorf("mean %v of %d draws, want about 1s", mean, n)
	}
	if share := float64(aboveMean) / n; math.Abs(share-1/math.E) > 0.01 {
		t.Errorf("%.3f of the draws are above the mean, want about 1/e", share)
	}
}

// TestRandomGolden holds the choices of a seed: they are the same on every platform
// and with every Go release. The disk kinds are left out, since what they choose
// depends on what the volumes hold.
func TestRandomGolden(t *testing.T) {
	r := storm()
	r.Rules = slices.DeleteFunc(r.Rules, func(rule Rule) bool {
		return slices.Contains([]Kind{KindSyncFail, KindDiskCapacity, KindCorrupt}, rule.Kind)
	})
	w := newWorld(42, 5, 4*time.Second)
	w.run(t, r)
	compareGolden(t, "random-42.json", w.injector.Schedule())
}
