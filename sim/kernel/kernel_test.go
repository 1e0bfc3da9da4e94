// SPDX-License-Identifier: MPL-2.0

package kernel_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// lists records texts in the order in which events add them.
type list []string

func (l *list) adds(text string) func() { return func() { *l = append(*l, text) } }

func (l *list) expect(t *testing.T, want string) {
	t.Helper()
	if got := strings.Join(*l, " "); got != want {
		t.Errorf("events ran as %q, want %q", got, want)
	}
}

// newNode returns a run with one node that has booted.
func newNode(t *testing.T) (*kernel.Sim, *kernel.Node) {
	t.Helper()
	s := kernel.New(kernel.Config{Seed: 1, Record: true})
	n := s.AddNode("n1", nil)
	s.Start()
	s.Run()
	if n.State() != kernel.Up || n.Inc() != 1 {
		t.Fatalf("the node is %v in incarnation %d after its boot", n.State(), n.Inc())
	}
	return s, n
}

func TestTimeFormat(t *testing.T) {
	tests := []struct {
		t    kernel.Time
		want string
	}{
		{0, "0.000000000s"},
		{1, "0.000000001s"},
		{5_873_034_010, "5.873034010s"},
		{-1_500_000_000, "-1.500000000s"},
		{-1 << 63, "-9223372036.854775808s"},
	}
	for _, tt := range tests {
		if got := tt.t.String(); got != tt.want {
			t.Errorf("Time(%d) is %q, want %q", int64(tt.t), got, tt.want)
		}
	}
	if got := kernel.Time(time.Second).Wall(); !got.Equal(kernel.Epoch.Add(time.Second)) {
		t.Errorf("one second after the epoch is %v", got)
	}
}

func TestTimeSaturates(t *testing.T) {
	const most, least = kernel.Time(1<<63 - 1), kernel.Time(-1 << 63)
	if got := most.Add(1); got != most {
		t.Errorf("the last instant and 1 ns are %d", got)
	}
	if got := least.Add(-1); got != least {
		t.Errorf("the first instant less 1 ns is %d", got)
	}
	s := kernel.New(kernel.Config{})
	s.RunUntil(10)
	var ran list
	s.After(1<<63-1, ran.adds("never"))
	s.RunUntil(kernel.Time(time.Hour))
	ran.expect(t, "")
}

func TestEventsRunInOrderOfTime(t *testing.T) {
	s := kernel.New(kernel.Config{})
	var ran list
	s.At(30, ran.adds("30"))
	s.At(10, func() {
		ran.adds("10")()
		s.At(5, func() { ran.adds("late@" + s.Now().String())() })
		s.After(-1, func() {})
		s.After(10, ran.adds("20"))
	})
	s.Run()
	ran.expect(t, "10 late@0.000000010s 20 30")
	if s.Events() != 5 || s.Now() != 30 {
		t.Errorf("%d events until %v, want 5 until 30 ns", s.Events(), s.Now())
	}
}

// order returns the order in which ten events of one instant run.
func order(seed uint64) string {
	s := kernel.New(kernel.Config{Seed: seed})
	var ran list
	for _, c := range "0123456789" {
		s.At(7, ran.adds(string(c)))
	}
	s.Run()
	return strings.Join(ran, "")
}

func TestTieBreakComesFromSeed(t *testing.T) {
	orders := map[string]bool{}
	for seed := range uint64(100) {
		one := order(seed)
		if another := order(seed); another != one {
			t.Fatalf("seed %d: one run has order %s, the other %s", seed, one, another)
		}
		orders[one] = true
	}
	if len(orders) < 99 {
		t.Errorf("100 seeds ran 10 events of one instant in only %d orders", len(orders))
	}
}

// TestTieBreakIsFair checks that each of three events of an instant is as often
// the first, second and third.
func TestTieBreakIsFair(t *testing.T) {
	const runs = 6000
	counts := map[string]int{}
	for seed := range uint64(runs) {
		s := kernel.New(kernel.Config{Seed: seed})
		var ran list
		for _, c := range "abc" {
			s.At(0, ran.adds(string(c)))
		}
		s.Run()
		counts[strings.Join(ran, "")]++
	}
	for o, n := range counts {
		if n < runs/6-150 || n > runs/6+150 {
			t.Errorf("order %s in %d of %d runs, want about %d", o, n, runs, runs/6)
		}
	}
	if len(counts) != 6 {
		t.Errorf("%d of 6 orders occur", len(counts))
	}
}

func TestAtFrontRunsFirstInFIFOOrder(t *testing.T) {
	for seed := range uint64(50) {
		s := kernel.New(kernel.Config{Seed: seed})
		var ran list
		s.At(5, ran.adds("x"))
		s.AtFront(5, ran.adds("1"))
		s.AtFront(5, func() {
			ran.adds("2")()
			s.AtFront(5, ran.adds("4"))
			s.At(4, ran.adds("x"))
		})
		s.At(5, ran.adds("x"))
		s.AtFront(5, ran.adds("3"))
		s.Run()
		ran.expect(t, "1 2 3 4 x x x")
	}
}

func TestAtFrontDrawsNothing(t *testing.T) {
	run := func(fronts int) string {
		s := kernel.New(kernel.Config{Seed: 3})
		var ran list
		for i, c := range "0123456789" {
			s.At(7, ran.adds(string(c)))
			if i < fronts {
				s.AtFront(kernel.Time(i), func() {})
			}
		}
		s.Run()
		return strings.Join(ran, "")
	}
	if a, b := run(0), run(10); a != b {
		t.Errorf("front events changed the order of others from %s to %s", a, b)
	}
}

func TestRunUntilLeavesClockAtEnd(t *testing.T) {
	s := kernel.New(kernel.Config{})
	var ran list
	for _, at := range []kernel.Time{10, 20, 21} {
		s.At(at, ran.adds(at.String()))
	}
	s.RunUntil(20)
	ran.expect(t, "0.000000010s 0.000000020s")
	if s.Now() != 20 {
		t.Errorf("the clock stands at %v", s.Now())
	}
	s.RunFor(100)
	if s.Now() != 120 || len(ran) != 3 {
		t.Errorf("the clock stands at %v after %d events", s.Now(), len(ran))
	}
	s.RunUntil(50)
	if s.Now() != 120 {
		t.Errorf("RunUntil turned the clock back to %v", s.Now())
	}
}

func TestAdvanceTo(t *testing.T) {
	s := kernel.New(kernel.Config{})
	s.At(10, func() {})
	s.AdvanceTo(10)
	if s.Now() != 10 || s.Events() != 0 {
		t.Errorf("at %v after %d events", s.Now(), s.Events())
	}
	expectPanic(t, "an event is due", func() { s.AdvanceTo(11) })
	expectPanic(t, "the clock stands at", func() { s.AdvanceTo(9) })
}

func expectPanic(t *testing.T, text string, fn func()) {
	t.Helper()
	defer func() {
		t.Helper()
		switch r := recover().(type) {
		case string:
			if !strings.Contains(r, text) {
				t.Errorf("panic %q does not say %q", r, text)
			}
		case error:
			if !strings.Contains(r.Error(), text) {
				t.Errorf("panic %q does not say %q", r, text)
			}
		default:
			t.Errorf("no panic that says %q, but %v", text, r)
		}
	}()
	fn()
}

func TestExecIsAnEvent(t *testing.T) {
	s := kernel.New(kernel.Config{})
	hooks := 0
	s.OnEvent(func() { hooks++ })
	s.At(1, func() {
		seq := s.Begin(nil, "a", "")
		s.Exec(func() {
			if s.Cause() != 0 {
				t.Errorf("Exec starts with cause %d", s.Cause())
			}
		})
		if s.Cause() != seq {
			t.Errorf("Exec left cause %d, want %d", s.Cause(), seq)
		}
	})
	s.Run()
	if s.Events() != 2 || hooks != 2 {
		t.Errorf("%d events and %d calls of the hook, want 2 each", s.Events(), hooks)
	}
}

func TestFirstFailureStopsRun(t *testing.T) {
	s := kernel.New(kernel.Config{Record: true})
	first, second := errors.New("first"), errors.New("second")
	s.At(5, func() {
		s.Fail(nil)
		s.Fail(first)
		s.Fail(second)
	})
	s.At(6, func() { t.Error("an event ran after the failure") })
	s.RunUntil(10)
	want := kernel.Failure{Err: first, At: 5, Event: 1}
	if f := s.Failure(); f == nil || *f != want || !s.Stopped() || s.Err() != first {
		t.Errorf("the failure is %+v, want %+v", f, want)
	}
	if s.Now() != 5 {
		t.Errorf("a failed run went on to %v", s.Now())
	}
	if r := s.Records(); len(r) != 1 || r[0].Kind != kernel.KindFail || r[0].Text != "first" {
		t.Errorf("the records are %+v", r)
	}
}

func TestStopIsNoFailure(t *testing.T) {
	s := kernel.New(kernel.Config{})
	s.At(1, s.Stop)
	s.At(2, func() { t.Error("an event ran after Stop") })
	s.Run()
	if !s.Stopped() || s.Err() != nil || s.Failure() != nil {
		t.Errorf("stopped %v, error %v", s.Stopped(), s.Err())
	}
}

func TestEventLimit(t *testing.T) {
	s := kernel.New(kernel.Config{MaxEvents: 3})
	for i := range 3 {
		s.At(kernel.Time(i), func() {})
	}
	s.Run()
	if s.Err() != nil {
		t.Fatalf("as many events as the limit allows: %v", s.Err())
	}
	s.At(9, func() { t.Error("an event ran beyond the limit") })
	s.Run()
	if !errors.Is(s.Err(), kernel.ErrLimit) || s.Events() != 3 {
		t.Errorf("after %d events: %v", s.Events(), s.Err())
	}
	answered := false
	s.Exec(func() { answered = true })
	if !answered {
		t.Error("a call beyond the limit was left without an answer")
	}
}

func TestStreams(t *testing.T) {
	s := kernel.New(kernel.Config{Seed: 1})
	a := s.Rand("a")
	if s.Rand("a") != a {
		t.Error("one name gives two generators")
	}
	first := func(seed uint64, name string) uint64 {
		return kernel.New(kernel.Config{Seed: seed}).Rand(name).Uint64()
	}
	v := first(1, "a")
	if first(1, "a") != v {
		t.Error("one seed and name give two streams")
	}
	if first(1, "b") == v || first(2, "a") == v {
		t.Error("another name or seed gives the same stream")
	}
}

func TestChance(t *testing.T) {
	tests := []struct {
		ppm       int64
		low, high int
	}{
		{-5, 0, 0}, {0, 0, 0}, {1_000, 60, 140}, {500_000, 49_000, 51_000}, {1_000_000, 100_000, 100_000}, {2_000_000, 100_000, 100_000},
	}
	for _, tt := range tests {
		r, control := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 1))
		hits := 0
		for range 100_000 {
			control.Uint64()
			if kernel.Chance(r, tt.ppm) {
				hits++
			}
		}
		if hits < tt.low || hits > tt.high {
			t.Errorf("%d ppm: %d of 100000, want %d to %d", tt.ppm, hits, tt.low, tt.high)
		}
		if r.Uint64() != control.Uint64() {
			t.Errorf("%d ppm: not one draw per call", tt.ppm)
		}
	}
}

func TestUniform(t *testing.T) {
	const most, least = 1<<63 - 1, -1 << 63
	r := rand.New(rand.NewPCG(1, 1))
	for _, b := range [][2]int64{{0, 0}, {3, 3}, {-2, 2}, {least, most}, {least, least + 1}, {most - 1, most}, {-1, most}, {least, 0}} {
		for range 1000 {
			if v := kernel.Uniform(r, b[0], b[1]); v < b[0] || v > b[1] {
				t.Fatalf("%d is not from %d to %d", v, b[0], b[1])
			}
		}
	}
	counts := make([]int, 5)
	for range 50_000 {
		counts[kernel.Uniform(r, -2, 2)+2]++
	}
	for i, n := range counts {
		if n < 9_500 || n > 10_500 {
			t.Errorf("%d came %d of 50000 times", i-2, n)
		}
	}
	expectPanic(t, "Uniform(2, 1)", func() { kernel.Uniform(r, 2, 1) })
	if d := kernel.UniformDuration(r, time.Second, time.Second); d != time.Second {
		t.Errorf("%v is not 1 s", d)
	}
}

func TestNodeNames(t *testing.T) {
	s := kernel.New(kernel.Config{})
	s.AddNode("kv-1.example_A", nil, kernel.TagServer)
	for _, tt := range []struct{ name, says string }{
		{"", "needs a name"}, {"kv-1.example_A", "in use"}, {"a/b", "accepted"}, {"a b", "accepted"}, {"é", "accepted"},
	} {
		expectPanic(t, tt.says, func() { s.AddNode(tt.name, nil) })
	}
	if n := s.Node("kv-1.example_A"); n == nil || n.ID() != 1 || s.NodeByID(1) != n || !n.HasTag(kernel.TagServer) || n.HasTag("x") {
		t.Errorf("the node is %+v", n)
	}
	if s.Node("x") != nil || s.NodeByID(0) != nil || s.NodeByID(2) != nil || s.NodeByID(-1) != nil {
		t.Error("a node that does not exist was found")
	}
	if len(s.Nodes()) != 1 {
		t.Errorf("%d nodes, want 1", len(s.Nodes()))
	}
}

func TestNodesBootInOrder(t *testing.T) {
	s := kernel.New(kernel.Config{Seed: 9})
	var ran list
	boot := func(n *kernel.Node) { ran.adds(n.Name() + "@" + s.Now().String())() }
	s.AddNode("a", boot)
	s.AddNode("b", func(n *kernel.Node) {
		boot(n)
		s.AddNode("d", boot)
	})
	s.AddNode("c", boot)
	s.OnBoot(func(n *kernel.Node) { ran.adds("hook-" + n.Name())() })
	if s.Node("a").State() != kernel.Down || s.Node("a").Restart() || s.Node("a").Crash() {
		t.Error("a node has a life before its first boot")
	}
	s.Start()
	s.Start()
	s.At(5, func() { s.AddNode("e", boot) })
	s.Run()
	ran.expect(t, "hook-a a@0.000000000s hook-b b@0.000000000s hook-c c@0.000000000s hook-d d@0.000000000s hook-e e@0.000000005s")
	if s.Events() != 6 {
		t.Errorf("%d events, want a boot each and one more", s.Events())
	}
}

func TestLifeOfNode(t *testing.T) {
	var ran list
	s := kernel.New(kernel.Config{})
	n := s.AddNode("n1", func(*kernel.Node) { ran.adds("boot")() })
	hook := func(text string) func(*kernel.Node) {
		return func(n *kernel.Node) { ran.adds(text + "-" + n.State().String())() }
	}
	s.OnCrash(hook("crash"))
	s.OnRestart(hook("restart"))
	s.OnPause(hook("pause"))
	s.OnResume(hook("resume"))
	s.OnClock(hook("clock"))
	s.Start()
	s.Run()
	steps := []struct {
		what  string
		do    func() bool
		ok    bool
		state kernel.State
		inc   int
	}{
		{"resume of an up node", n.Resume, false, kernel.Up, 1},
		{"restart of an up node", n.Restart, false, kernel.Up, 1},
		{"pause", n.Pause, true, kernel.Paused, 1},
		{"pause of a paused node", n.Pause, false, kernel.Paused, 1},
		{"restart of a paused node", n.Restart, false, kernel.Paused, 1},
		{"resume", n.Resume, true, kernel.Up, 1},
		{"crash", n.Crash, true, kernel.Down, 1},
		{"crash of a down node", n.Crash, false, kernel.Down, 1},
		{"pause of a down node", n.Pause, false, kernel.Down, 1},
		{"resume of a down node", n.Resume, false, kernel.Down, 1},
		{"restart", n.Restart, true, kernel.Up, 2},
		{"second pause", n.Pause, true, kernel.Paused, 2},
		{"crash of a paused node", n.Crash, true, kernel.Down, 2},
		{"second restart", n.Restart, true, kernel.Up, 3},
		{"clock", func() bool { return n.JumpClock(time.Second) }, true, kernel.Up, 3},
		{"no jump", func() bool { return n.JumpClock(0) }, false, kernel.Up, 3},
		{"drift", func() bool { return n.SetDrift(1) }, true, kernel.Up, 3},
	}
	for _, st := range steps {
		if ok := st.do(); ok != st.ok || n.State() != st.state || n.Inc() != st.inc {
			t.Errorf("%s: %v, then %v in incarnation %d; want %v, %v, %d", st.what, ok, n.State(), n.Inc(), st.ok, st.state, st.inc)
		}
	}
	ran.expect(t, "boot pause-paused resume-up crash-down restart-up boot pause-paused crash-down restart-up boot clock-up clock-up")
}

func TestCrashDropsTimers(t *testing.T) {
	s, n := newNode(t)
	var ran list
	timer := n.After(10, ran.adds("old timer"))
	n.Post(ran.adds("old post"))
	s.At(20, ran.adds("run's own"))
	n.Crash()
	if n.Cancel(timer) {
		t.Error("the timer of a dead incarnation was there to cancel")
	}
	if dead := n.After(10, ran.adds("timer of a down node")); dead != (kernel.Timer{}) {
		t.Errorf("a node that is down set the timer %v", dead)
	}
	n.Restart()
	n.After(30, ran.adds("new timer"))
	s.Run()
	ran.expect(t, "run's own new timer")
}

func TestPauseHoldsInOrder(t *testing.T) {
	for seed := range uint64(20) {
		s := kernel.New(kernel.Config{Seed: seed})
		n := s.AddNode("n1", nil)
		s.Start()
		s.Run()
		var ran list
		n.After(10, ran.adds("10"))
		n.After(30, ran.adds("30"))
		cancelled := n.After(20, ran.adds("cancelled"))
		n.After(50, ran.adds("50"))
		s.At(15, func() { n.Do(n.Inc(), ran.adds("do15")) })
		s.At(5, func() { n.Pause() })
		s.At(35, func() {
			if !n.Cancel(cancelled) || n.Cancel(cancelled) {
				t.Error("a held timer can be cancelled, once")
			}
		})
		s.AtFront(40, func() {
			ran.adds("resume")()
			n.Resume()
			n.Do(n.Inc(), ran.adds("do40")) // does not overtake what is overdue
		})
		s.At(40, ran.adds("later"))
		s.Run()
		ran.expect(t, "resume 10 do15 30 do40 later 50")
	}
}

func TestPauseAgainKeepsOrder(t *testing.T) {
	s, n := newNode(t)
	var ran list
	n.Pause()
	for _, c := range []string{"1", "3", "4"} {
		n.Do(1, func() {
			ran.adds(c)()
			if c == "1" {
				n.Pause()
			}
		})
	}
	n.Resume()
	s.Run()
	ran.expect(t, "1")
	n.Do(1, ran.adds("5"))
	n.Resume()
	s.Run()
	ran.expect(t, "1 3 4 5")
	n.Do(1, ran.adds("6"))
	ran.expect(t, "1 3 4 5 6")
}

func TestCancelledOverdueEventReleasesOthers(t *testing.T) {
	s, n := newNode(t)
	var ran list
	timer := n.Post(ran.adds("cancelled"))
	n.Pause()
	s.Run()
	n.Resume()
	n.Cancel(timer)
	n.Do(1, ran.adds("at once"))
	ran.expect(t, "at once")
	s.Run()
}

func TestHeldEventsDoNotCount(t *testing.T) {
	s, n := newNode(t)
	before := s.Events()
	n.Post(func() {})
	n.Pause()
	s.Run()
	if got := s.Events() - before; got != 0 {
		t.Errorf("holding an event counted as %d events", got)
	}
	n.Resume()
	s.Run()
	if got := s.Events() - before; got != 1 {
		t.Errorf("the held event counted as %d events", got)
	}
}

func TestCrashDropsHeldEvents(t *testing.T) {
	s, n := newNode(t)
	var ran list
	n.Pause()
	n.Do(1, ran.adds("held"))
	n.Post(ran.adds("post"))
	s.Run()
	n.Crash()
	n.Restart()
	n.Do(1, ran.adds("dead incarnation"))
	n.Do(2, ran.adds("alive"))
	n.Pause()
	n.Do(2, ran.adds("held again"))
	n.Resume()
	n.Crash() // between resume and its events
	n.Restart()
	s.Run()
	ran.expect(t, "alive")
	n.Do(3, ran.adds("at once"))
	ran.expect(t, "alive at once")
}

func TestLocalClock(t *testing.T) {
	s, n := newNode(t)
	at := func(d time.Duration) time.Time { return kernel.Epoch.Add(d) }
	check := func(what string, want time.Duration) {
		t.Helper()
		if got := n.Now(); !got.Equal(at(want)) {
			t.Errorf("%s: the clock shows %v, want %v", what, got.Sub(kernel.Epoch), want)
		}
		if got := n.Offset(); got != want-s.Now().Sub(0) {
			t.Errorf("%s: the offset is %v, want %v", what, got, want-s.Now().Sub(0))
		}
	}
	s.RunFor(time.Second)
	check("in step", time.Second)
	n.JumpClock(time.Minute)
	check("after a jump", 61*time.Second)
	if !n.SetDrift(100_000) || n.SetDrift(100_000) || n.Drift() != 100_000 {
		t.Error("SetDrift reports whether it changed the drift")
	}
	s.RunFor(10 * time.Second)
	check("10% fast", 72*time.Second)
	n.SetDrift(-500_000)
	s.RunFor(10 * time.Second)
	check("half speed", 77*time.Second)
	n.Crash()
	n.Restart()
	n.SetDrift(0)
	n.JumpClock(-77 * time.Second)
	s.RunFor(time.Second)
	check("set back, after a crash", time.Second)
	if n.JumpClock(0) || n.SetDrift(kernel.MaxDrift+1) || n.SetDrift(-kernel.MaxDrift-1) {
		t.Error("a jump by nothing or a drift out of range was accepted")
	}
}

func TestTimersFollowLocalClock(t *testing.T) {
	tests := []struct {
		drift int64
		want  kernel.Time
	}{{0, 1_000_000}, {250_000, 800_000}, {-500_000, 2_000_000}, {1, 1_000_000}}
	for _, tt := range tests {
		s, n := newNode(t)
		n.SetDrift(tt.drift)
		n.JumpClock(time.Hour)
		var fired kernel.Time
		n.After(time.Millisecond, func() { fired = s.Now() })
		s.Run()
		if fired != tt.want {
			t.Errorf("drift %d ppm: a timer of 1 ms fired at %v, want %v", tt.drift, fired, tt.want)
		}
	}
}

func TestNodeRandIsPerIncarnation(t *testing.T) {
	s, n := newNode(t)
	if n.Rand() != s.Rand("node/n1/1") {
		t.Error("the stream of the first incarnation is not node/n1/1")
	}
	n.Crash()
	n.Restart()
	if n.Rand() != s.Rand("node/n1/2") {
		t.Error("the stream of the second incarnation is not node/n1/2")
	}
}

func TestCausesChain(t *testing.T) {
	s := kernel.New(kernel.Config{Seed: 1, Record: true})
	s.AddNode("n1", func(n *kernel.Node) {
		n.After(10, func() { // cause: the boot
			n.Logf("tick %d", 1) // cause: the timer
			n.Post(func() { n.Logf("posted") })
		})
	})
	s.Start()
	s.At(20, func() {
		seq := s.Begin(nil, "fault.crash", "n1")
		s.Node("n1").Crash()
		s.Node("n1").Restart()
		if s.Cause() != seq {
			t.Errorf("crash and restart left cause %d, want %d", s.Cause(), seq)
		}
		s.SetCause(1)
		s.Emit(nil, "x", "")
	})
	s.OnEvent(func() {
		if s.Events() == 2 {
			s.Emit(nil, "hook", "")
		}
	})
	s.RunUntil(20)
	type short struct {
		kind  kernel.Kind
		text  string
		inc   int
		cause uint64
	}
	want := []short{
		{"boot", "n1", 1, 0},
		{"timer", "", 1, 1},
		{"log", "tick 1", 1, 2},
		{"hook", "", 0, 2},
		{"log", "posted", 1, 2},
		{"fault.crash", "n1", 0, 0},
		{"crash", "", 1, 6},
		{"restart", "n1", 2, 6},
		{"x", "", 0, 1},
	}
	var got []short
	for i, r := range s.Records() {
		if r.Seq != uint64(i+1) {
			t.Errorf("record %d has the number %d", i+1, r.Seq)
		}
		got = append(got, short{r.Kind, r.Text, r.Inc, r.Cause})
	}
	if !slices.Equal(got, want) {
		t.Errorf("the records are\n%v, want\n%v", got, want)
	}
}

func TestAttrsAreCopied(t *testing.T) {
	s := kernel.New(kernel.Config{Record: true})
	attrs := []kernel.Attr{{Key: "k", Value: "v"}}
	s.Emit(nil, "x", "", attrs...)
	hash := s.TraceHash()
	attrs[0].Value = "changed"
	if kernel.HashRecords(s.Records()) != hash {
		t.Error("a caller changed a record after it was emitted")
	}
}

func TestStateNames(t *testing.T) {
	for state, want := range map[kernel.State]string{kernel.Up: "up", kernel.Down: "down", kernel.Paused: "paused", 9: "State(9)"} {
		if got := state.String(); got != want {
			t.Errorf("state %d is %q, want %q", uint8(state), got, want)
		}
	}
}
