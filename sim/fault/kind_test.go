// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simnet"
)

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// kindCases has a fault of every kind at 100 ms, what is true right after it, and
// what is true once it has ended by itself at 200 ms (nil: it has no end).
var kindCases = []struct {
	before []Event // at 50 ms
	event  Event
	on     func(*world) bool
	off    func(*world) bool
	undo   Kind
}{
	{
		event: Event{Kind: KindPartition, Groups: [][]string{{"s1"}, {"s2", "c1"}}},
		on:    func(w *world) bool { return !w.reach("s1", "c1") && !w.reach("s2", "s1") && w.reach("s1", "s3") },
		off:   func(w *world) bool { return w.reach("s1", "c1") && w.reach("s2", "s1") },
		undo:  KindHeal,
	},
	{
		event: Event{Kind: KindIsolate, Node: "s1"},
		on:    func(w *world) bool { return !w.reach("s1", "c1") && !w.reach("s2", "s1") && w.reach("s2", "s3") },
		off:   func(w *world) bool { return w.reach("s1", "c1") && w.reach("s2", "s1") },
		undo:  KindHeal,
	},
	{
		before: []Event{{Kind: KindIsolate, Node: "s1"}, {Kind: KindCut, From: "s2", To: "s3"}},
		event:  Event{Kind: KindHeal},
		on:     func(w *world) bool { return w.reach("s1", "c1") && w.reach("s2", "s3") },
	},
	{
		event: Event{Kind: KindCut, From: "s1", To: "s2"},
		on:    func(w *world) bool { return !w.reach("s1", "s2") && w.reach("s2", "s1") },
		off:   func(w *world) bool { return w.reach("s1", "s2") },
		undo:  KindHealLink,
	},
	{
		before: []Event{{Kind: KindIsolate, Node: "s1"}},
		event:  Event{Kind: KindHealLink, From: "s1", To: "s2"},
		on:     func(w *world) bool { return w.reach("s1", "s2") && !w.reach("s2", "s1") },
	},
	{
		event: Event{Kind: KindLink, From: "s1", To: "s2", Link: simnet.LinkConfig{Latency: ms(7), DropPPM: 5, FIFO: true}},
		on: func(w *world) bool {
			return w.link("s1", "s2") == simnet.LinkConfig{Latency: ms(7), DropPPM: 5, FIFO: true}
		},
		off:  func(w *world) bool { return w.link("s1", "s2") == simnet.DefaultLink() },
		undo: KindLink,
	},
	{
		before: []Event{{Kind: KindLink, From: "s1", To: "s2", Link: simnet.LinkConfig{Latency: ms(7)}}},
		event:  Event{Kind: KindLinkReset, From: "s1", To: "s2"},
		on:     func(w *world) bool { return w.link("s1", "s2") == simnet.DefaultLink() },
	},
	{
		event: Event{Kind: KindCrash, Node: "s1"},
		on:    func(w *world) bool { return w.node("s1").State() == kernel.Down },
		off:   func(w *world) bool { return w.node("s1").State() == kernel.Up && w.node("s1").Inc() == 2 },
		undo:  KindRestart,
	},
	{
		before: []Event{{Kind: KindCrash, Node: "s1"}},
		event:  Event{Kind: KindRestart, Node: "s1"},
		on:     func(w *world) bool { return w.node("s1").State() == kernel.Up && w.node("s1").Inc() == 2 },
	},
	{
		event: Event{Kind: KindPause, Node: "s1"},
		on:    func(w *world) bool { return w.node("s1").State() == kernel.Paused },
		off:   func(w *world) bool { return w.node("s1").State() == kernel.Up && w.node("s1").Inc() == 1 },
		undo:  KindResume,
	},
	{
		before: []Event{{Kind: KindPause, Node: "s1"}},
		event:  Event{Kind: KindResume, Node: "s1"},
		on:     func(w *world) bool { return w.node("s1").State() == kernel.Up && w.node("s1").Inc() == 1 },
	},
	{
		event: Event{Kind: KindClockJump, Node: "s1", By: -3 * time.Second},
		on:    func(w *world) bool { return w.node("s1").Offset() == -3*time.Second },
	},
	{
		event: Event{Kind: KindClockDrift, Node: "s1", PPM: 1000},
		on:    func(w *world) bool { return w.node("s1").Drift() == 1000 },
		off:   func(w *world) bool { return w.node("s1").Drift() == 0 && w.node("s1").Offset() == 100*time.Microsecond },
		undo:  KindClockDrift,
	},
	{
		event: Event{Kind: KindSyncFail, Node: "s1", Count: -1},
		on:    func(w *world) bool { return w.syncLog("s1") != nil },
		off:   func(w *world) bool { return w.syncLog("s1") == nil },
		undo:  KindSyncFail,
	},
	{
		event: Event{Kind: KindDiskCapacity, Node: "s1", Bytes: 3},
		on:    func(w *world) bool { return w.volume("s1").Capacity() == 3 },
		off:   func(w *world) bool { return w.volume("s1").Capacity() == 0 },
		undo:  KindDiskCapacity,
	},
	{
		event: Event{Kind: KindCorrupt, Node: "s1", Path: "/data", Offset: 1, Length: 2},
		on: func(w *world) bool {
			data, err := w.volume("s1").ReadFile("/data")
			return err == nil && data[0] == 'a' && data[1] != 'b' && data[2] != 'c' && data[3] == 'd'
		},
	},
	{
		event: Event{Kind: KindMisdirectWrite, Node: "s1", Count: -1},
		on:    func(w *world) bool { return w.volume("s1").Suspect() },
		off:   func(w *world) bool { return !w.volume("s1").Suspect() },
		undo:  KindMisdirectWrite,
	},
	{
		event: Event{Kind: KindMisdirectRead, Node: "s1", Count: -1},
		on:    func(w *world) bool { return w.misreads("s1") },
		off:   func(w *world) bool { return !w.misreads("s1") },
		undo:  KindMisdirectRead,
	},
}

// misreads reports whether a read of the second sector gets something else.
func (w *world) misreads(name string) bool {
	two := append(make([]byte, 512), bytes.Repeat([]byte("b"), 512)...)
	if err := w.volume(name).WriteFile("/two", two, 0o644); err != nil {
		panic(err)
	}
	f, err := w.volume(name).Open("/two")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	p := make([]byte, 512)
	f.ReadAt(p, 512)
	return p[0] != 'b'
}

func (w *world) link(from, to string) simnet.LinkConfig {
	return w.env.Net.LinkConfig(w.node(from).ID(), w.node(to).ID())
}

func (w *world) syncLog(name string) error {
	f, err := w.volume(name).Open("/data")
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func TestEveryKind(t *testing.T) {
	covered := map[Kind]bool{}
	for _, c := range kindCases {
		covered[c.event.Kind] = true
		t.Run(string(c.event.Kind), func(t *testing.T) {
			w := newWorld(1, 3, time.Second)
			if err := w.volume("s1").WriteFileDurable("/data", []byte("abcd")); err != nil {
				t.Fatal(err)
			}
			var events []Event
			for _, e := range c.before {
				e.At = ms(50)
				events = append(events, e)
			}
			e := c.event
			e.At = ms(100)
			if c.off != nil {
				e.For = ms(100)
			}
			if err := w.start(Script(append(events, e)...)); err != nil {
				t.Fatal(err)
			}
			w.runTo(ms(100) - 1)
			if c.on(w) {
				t.Fatal("the effect is there before the fault")
			}
			w.runTo(ms(100))
			if !c.on(w) {
				t.Fatal("no effect")
			}
			w.runTo(ms(200))
			if c.off != nil && !c.off(w) {
				t.Fatal("the fault did not end")
			}
			checkSchedule(t, w, e, c.undo)
		})
	}
	if list := Kinds(); len(list) != 18 || len(covered) != len(list) {
		t.Errorf("%d of %d kinds are tested, want all 18", len(covered), len(list))
	}
}

// checkSchedule checks that the last events of the schedule are the fault and its
// undo, that each has its record, that the record is the cause of what the fault
// did, and that the undo's cause is the fault.
func checkSchedule(t *testing.T, w *world, e Event, undo Kind) {
	t.Helper()
	s := w.injector.Schedule()
	var buf bytes.Buffer
	if err := s.Write(&buf); err != nil {
		t.Fatal(err)
	}
	records := w.faults()
	if len(records) != len(s.Events) {
		t.Fatalf("%d records for %d events", len(records), len(s.Events))
	}
	i := slices.IndexFunc(s.Events, func(o Event) bool { return o.At == e.At })
	fault := s.Events[i]
	if fault.Kind != e.Kind || fault.ID != i+1 || fault.Undoes != 0 || fault.For != 0 {
		t.Errorf("the schedule has %+v for %+v", fault, e)
	}
	if records[i].Kind != kernel.Kind("fault."+e.Kind) || records[i].At != kernel.Time(e.At) {
		t.Errorf("record %+v for event %+v", records[i], fault)
	}
	if undo == "" {
		if len(s.Events) != i+1 {
			t.Errorf("events after the fault: %+v", s.Events[i+1:])
		}
		return
	}
	end := s.Events[i+1]
	if end.Kind != undo || end.Undoes != fault.ID || end.At != e.At+e.For {
		t.Errorf("the fault ended with %+v, want kind %s at %v", end, undo, e.At+e.For)
	}
	if records[i+1].Cause != records[i].Seq {
		t.Errorf("the cause of the undo is %d, want the fault's %d", records[i+1].Cause, records[i].Seq)
	}
}

func TestFaultIsTheCauseOfWhatItDoes(t *testing.T) {
	w := newWorld(1, 3, time.Second)
	w.run(t, Script(Event{At: ms(100), Kind: KindCrash, Node: "s1", For: ms(50)}))
	fault := w.faults()[0]
	for _, r := range w.env.Sim.Records() {
		if r.Kind == kernel.KindCrash && r.Cause != fault.Seq {
			t.Errorf("the crash has cause %d, want %d", r.Cause, fault.Seq)
		}
		if r.Kind == kernel.KindRestart && r.Cause != w.faults()[1].Seq {
			t.Errorf("the restart has cause %d, want %d", r.Cause, w.faults()[1].Seq)
		}
	}
	if fault.Node != w.node("s1").ID() || fault.Text != "s1" {
		t.Errorf("record %+v, want one at s1", fault)
	}
}

func TestFaultWithoutEffectSaysWhy(t *testing.T) {
	w := newWorld(1, 3, time.Second)
	w.run(t, Script(
		Event{At: ms(100), Kind: KindCrash, Node: "s1"},
		Event{At: ms(200), Kind: KindCrash, Node: "s1", For: ms(100)},
		Event{At: ms(250), Kind: KindHeal},
		Event{At: ms(260), Kind: KindCorrupt, Node: "s1", Path: "/none", Length: 1},
	))
	var notes []string
	for _, r := range w.faults() {
		if r.Kind == KindNoEffect {
			notes = append(notes, r.Text)
		}
	}
	if len(notes) != 3 || notes[0] != "s1 is down" || notes[1] != errUnchanged.Error() || !strings.Contains(notes[2], "/none") {
		t.Errorf("notes %q", notes)
	}
	if n := len(w.injector.Schedule().Events); n != 4 {
		t.Errorf("%d events in the schedule, want 4 without an undo", n)
	}
	if w.node("s1").State() != kernel.Down {
		t.Error("a crash without effect restarted the node")
	}
}

func TestFaultsAtTheSameTarget(t *testing.T) {
	for name, c := range map[string]struct {
		events []Event
		want   string // kinds of the schedule, with the id that each undoes
		after  func(*world) bool
	}{
		"a restart of one's own takes the place of the end": {
			[]Event{{At: ms(100), Kind: KindCrash, Node: "s1", For: ms(200)}, {At: ms(150), Kind: KindRestart, Node: "s1"}},
			"crash restart", func(w *world) bool { return w.node("s1").Inc() == 2 },
		},
		"a crash ends a pause": {
			[]Event{{At: ms(100), Kind: KindPause, Node: "s1", For: ms(100)}, {At: ms(150), Kind: KindCrash, Node: "s1", For: ms(100)}},
			"pause crash restart/2", func(w *world) bool { return w.node("s1").State() == kernel.Up },
		},
		"heal ends all cuts": {
			[]Event{
				{At: ms(100), Kind: KindIsolate, Node: "s1", For: ms(300)},
				{At: ms(100), Kind: KindCut, From: "s2", To: "s3", For: ms(300)},
				{At: ms(150), Kind: KindHeal},
			},
			"isolate cut heal", func(w *world) bool { return w.reach("s2", "s3") && w.reach("s1", "s2") },
		},
		"a second drift ends in the state before the first": {
			[]Event{
				{At: ms(100), Kind: KindClockDrift, Node: "s1", PPM: 5, For: ms(100)},
				{At: ms(150), Kind: KindClockDrift, Node: "s1", PPM: 9, For: ms(100)},
			},
			"clock-drift clock-drift clock-drift/2", func(w *world) bool { return w.node("s1").Drift() == 0 },
		},
		"link-reset ends a link fault": {
			[]Event{
				{At: ms(100), Kind: KindLink, From: "s1", To: "s2", For: ms(100)},
				{At: ms(150), Kind: KindLinkReset, From: "s1", To: "s2"},
			},
			"link link-reset", func(w *world) bool { return w.link("s1", "s2") == simnet.DefaultLink() },
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(1, 3, time.Second)
			w.run(t, Script(c.events...))
			var got []string
			for _, e := range w.injector.Schedule().Events {
				text := string(e.Kind)
				if e.Undoes != 0 {
					text += "/" + string(rune('0'+e.Undoes))
				}
				got = append(got, text)
			}
			if join(got) != strings.ReplaceAll(c.want, " ", ", ") {
				t.Errorf("schedule %s, want %s", join(got), c.want)
			}
			if !c.after(w) {
				t.Error("wrong state at the end")
			}
		})
	}
}

func TestOverlappingCutsHealOnlyTheirOwn(t *testing.T) {
	w := newWorld(1, 3, time.Second)
	err := w.start(Script(
		Event{At: ms(100), Kind: KindIsolate, Node: "s1", For: ms(100)},                                 // to 200
		Event{At: ms(150), Kind: KindPartition, Groups: [][]string{{"s1", "s2"}, {"s3"}}, For: ms(200)}, // to 350
	))
	if err != nil {
		t.Fatal(err)
	}
	w.runTo(ms(200))
	if !w.reach("s1", "s2") || w.reach("s1", "s3") || w.reach("s3", "s2") {
		t.Error("the end of the isolation did not leave exactly the partition")
	}
	w.runTo(ms(350))
	if !w.reach("s1", "s3") || !w.reach("s3", "s2") {
		t.Error("the partition did not end")
	}
}

func TestUndoRestoresWhatTheTestSet(t *testing.T) {
	w := newWorld(1, 2, time.Second)
	own := simnet.LinkConfig{Latency: ms(9)}
	if err := w.env.Net.SetLink(w.node("s1").ID(), w.node("s2").ID(), own); err != nil {
		t.Fatal(err)
	}
	w.volume("s1").SetCapacity(1 << 20)
	w.node("s1").SetDrift(77)
	w.run(t, Script(
		Event{At: ms(100), Kind: KindLink, From: "s1", To: "s2", Link: simnet.LinkConfig{Latency: ms(500)}, For: ms(100)},
		Event{At: ms(100), Kind: KindDiskCapacity, Node: "s1", Bytes: 1, For: ms(100)},
		Event{At: ms(100), Kind: KindClockDrift, Node: "s1", PPM: -100, For: ms(100)},
	))
	if w.link("s1", "s2") != own || w.volume("s1").Capacity() != 1<<20 || w.node("s1").Drift() != 77 {
		t.Errorf("after the faults: link %+v, capacity %d, drift %d", w.link("s1", "s2"), w.volume("s1").Capacity(), w.node("s1").Drift())
	}
}
