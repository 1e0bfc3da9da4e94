// SPDX-License-Identifier: MPL-2.0

package simnet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simnet"
)

type id = kernel.NodeID

// exact is a link on which a message takes 1 ms, no less and no more.
var exact = simnet.LinkConfig{Latency: time.Millisecond}

func ms(n int) kernel.Time { return kernel.Time(n) * kernel.Time(time.Millisecond) }

// inbox collects what a node receives, as "<payload>@<ms>".
type inbox []string

func (in *inbox) listen(nw *simnet.Network, n *kernel.Node) {
	nw.Handle(n, func(_ id, payload any) {
		*in = append(*in, fmt.Sprintf("%v@%d", payload, n.Sim().Now()/ms(1)))
	})
}

func (in *inbox) expect(t *testing.T, want string) {
	t.Helper()
	if got := strings.Join(*in, " "); got != want {
		t.Errorf("received %q, want %q", got, want)
	}
}

// drops returns the reasons of all drops in the trace, in order.
func drops(s *kernel.Sim) string {
	var reasons []string
	for _, r := range s.Records() {
		if r.Kind == simnet.KindDrop {
			reasons = append(reasons, s.NodeByID(r.Node).Name()+":"+r.Attrs[0].Value)
		}
	}
	return strings.Join(reasons, " ")
}

func expectDrops(t *testing.T, s *kernel.Sim, want string) {
	t.Helper()
	if got := drops(s); got != want {
		t.Errorf("dropped %q, want %q", got, want)
	}
}

func TestDefaultDelay(t *testing.T) {
	s, nw := world(1, 2, simnet.Config{})
	var least, most time.Duration = time.Hour, 0
	overtaken, last := false, 0
	sent := map[int]kernel.Time{}
	nw.Handle(s.Node("n2"), func(_ id, payload any) {
		n := payload.(int)
		d := s.Now().Sub(sent[n])
		least, most = min(least, d), max(most, d)
		overtaken = overtaken || n < last
		last = n
	})
	for i := range 5000 {
		s.At(ms(i), func() {
			sent[i] = s.Now()
			nw.Send(s.Node("n1"), 2, i)
		})
	}
	s.Run()
	if least < time.Millisecond || least > 1010*time.Microsecond || most > 5*time.Millisecond || most < 4990*time.Microsecond {
		t.Errorf("messages took %v to %v, want 1 ms to 5 ms", least, most)
	}
	if !overtaken {
		t.Error("no message overtook another")
	}
	if st := nw.Stats(); st.Sent != 5000 || st.Delivered != 5000 || st.Lost() != 0 || st.Duplicated != 0 {
		t.Errorf("the counts are %+v", st)
	}
}

func TestFIFOKeepsOrder(t *testing.T) {
	for seed := range uint64(20) {
		s, nw := world(seed, 2, simnet.Config{Link: simnet.LinkConfig{
			Latency: 1, Jitter: time.Second, Tail: time.Minute, TailPPM: 100_000, DupPPM: 300_000, FIFO: true,
		}})
		var got []int
		nw.Handle(s.Node("n2"), func(_ id, payload any) { got = append(got, payload.(int)) })
		for i := range 200 {
			s.At(ms(10*i), func() { nw.Send(s.Node("n1"), 2, i) })
		}
		s.Run()
		if !slices.IsSorted(got) {
			t.Fatalf("seed %d: messages arrived as %v", seed, got)
		}
		if n := len(got); n < 230 || n > 290 {
			t.Errorf("seed %d: %d copies of 200 messages with 30%% duplicates", seed, n)
		}
	}
}

func TestProbabilities(t *testing.T) {
	s, nw := world(1, 2, simnet.Config{Link: simnet.LinkConfig{
		Latency: time.Millisecond, Tail: time.Second, TailPPM: 50_000, DropPPM: 100_000, DupPPM: 20_000,
	}})
	late := 0
	nw.Handle(s.Node("n2"), func(_ id, payload any) {
		if s.Now() > ms(1) {
			late++
		}
	})
	const sent = 50_000
	for range sent {
		nw.Send(s.Node("n1"), 2, "x")
	}
	s.Run()
	st := nw.LinkStats(1, 2)
	near := func(what string, got, want uint64) {
		t.Helper()
		if got < want*9/10 || got > want*11/10 {
			t.Errorf("%s: %d, want about %d", what, got, want)
		}
	}
	near("lost", st.Dropped[simnet.Loss], sent/10)
	near("duplicated", st.Duplicated, sent*9/10*2/100)
	near("late", uint64(late), st.Delivered*5/100)
	if st != nw.Stats() {
		t.Errorf("one link has %+v, all links have %+v", st, nw.Stats())
	}
	if st.Sent+st.Duplicated != st.Delivered+st.Lost() {
		t.Errorf("the counts do not add up: %+v", st)
	}
}

func TestDropsByReason(t *testing.T) {
	lossy := exact
	lossy.DropPPM = 1_000_000
	tests := []struct {
		name string
		do   func(s *kernel.Sim, nw *simnet.Network)
		want string
	}{
		{"none", func(*kernel.Sim, *simnet.Network) {}, ""},
		{"loss", func(_ *kernel.Sim, nw *simnet.Network) { _ = nw.SetLink(1, 2, lossy) }, "n1:loss"},
		{"loss on the way back", func(_ *kernel.Sim, nw *simnet.Network) { _ = nw.SetLink(2, 1, lossy) }, ""},
		{"loss mended", func(_ *kernel.Sim, nw *simnet.Network) { _ = nw.SetLink(1, 2, lossy); nw.ResetLink(1, 2) }, ""},
		{"cut", func(_ *kernel.Sim, nw *simnet.Network) { nw.Cut(1, 2) }, "n1:partition"},
		{"cut the other way", func(_ *kernel.Sim, nw *simnet.Network) { nw.Cut(2, 1) }, ""},
		{"cut and healed", func(_ *kernel.Sim, nw *simnet.Network) { nw.Cut(1, 2); nw.HealLink(1, 2) }, ""},
		{"healed the other way", func(_ *kernel.Sim, nw *simnet.Network) { nw.Cut(1, 2); nw.HealLink(2, 1) }, "n1:partition"},
		{"partition", func(_ *kernel.Sim, nw *simnet.Network) { nw.Partition([]id{1}, []id{2, 3}) }, "n1:partition"},
		{"same side", func(_ *kernel.Sim, nw *simnet.Network) { nw.Partition([]id{1, 2}, []id{3}) }, ""},
		{"in no group", func(_ *kernel.Sim, nw *simnet.Network) { nw.Partition([]id{1}, []id{3}) }, ""},
		{"sender isolated", func(_ *kernel.Sim, nw *simnet.Network) { nw.Isolate(1) }, "n1:partition"},
		{"receiver isolated", func(_ *kernel.Sim, nw *simnet.Network) { nw.Isolate(2) }, "n1:partition"},
		{"healed", func(_ *kernel.Sim, nw *simnet.Network) { nw.Isolate(2); nw.Heal() }, ""},
		{"cut in flight", func(s *kernel.Sim, nw *simnet.Network) { s.After(1, func() { nw.Cut(1, 2) }) }, "n2:partition-in-flight"},
		{"cut and healed in flight", func(s *kernel.Sim, nw *simnet.Network) {
			s.After(1, func() { nw.Isolate(1) })
			s.After(2, func() { nw.Heal() })
		}, "n2:partition-in-flight"},
		{"receiver down", func(s *kernel.Sim, _ *simnet.Network) { s.Node("n2").Crash() }, "n2:down"},
		{"receiver crashes", func(s *kernel.Sim, _ *simnet.Network) { s.After(1, func() { s.Node("n2").Crash() }) }, "n2:down"},
		{"receiver restarts without a handler", func(s *kernel.Sim, _ *simnet.Network) {
			s.Node("n2").Crash()
			s.Node("n2").Restart()
		}, "n2:no-handler"},
		{"sender crashes after sending", func(s *kernel.Sim, _ *simnet.Network) { s.After(1, func() { s.Node("n1").Crash() }) }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, nw := world(1, 3, simnet.Config{Link: exact})
			var in inbox
			in.listen(nw, s.Node("n2"))
			tt.do(s, nw)
			nw.Send(s.Node("n1"), 2, "x")
			s.Run()
			expectDrops(t, s, tt.want)
			if received := len(in) == 1; received != (tt.want == "") {
				t.Errorf("received %v although the drops are %q", in, tt.want)
			}
			if st := nw.Stats(); st.Sent != 1 || st.Delivered+st.Lost() != 1 {
				t.Errorf("the counts are %+v", st)
			}
		})
	}
}

func TestUnknownNodes(t *testing.T) {
	s, nw := world(1, 2, simnet.Config{Link: exact})
	nw.Send(s.Node("n1"), 9, "x")
	nw.Send(s.Node("n1"), 0, "x")
	nw.SendRaw(9, 1, "raw", func() { t.Error("a message from nowhere arrived") })
	nw.SendRaw(1, -1, "raw", func() { t.Error("a message to nowhere arrived") })
	changed := nw.Partition([]id{9}, []id{1, -3}) || nw.Isolate(7) || nw.Cut(1, 0) || nw.Cut(1, 1) || nw.HealLink(8, 1) || nw.Heal()
	if changed {
		t.Error("a change to a link that does not exist reports true")
	}
	if err := nw.SetLink(1, 9, exact); err != nil {
		t.Errorf("SetLink of a link that does not exist: %v", err)
	}
	nw.ResetLink(9, 1)
	if nw.Reach(1, 9) || nw.Reach(9, 9) || nw.LinkConfig(1, 9) != (simnet.LinkConfig{}) || nw.LinkStats(9, 1) != (simnet.Stats{}) {
		t.Error("a link that does not exist has properties")
	}
	s.Run()
	expectDrops(t, s, "n1:down n1:down n1:down")
}

func TestMessageToSelf(t *testing.T) {
	s, nw := world(1, 2, simnet.Config{Link: simnet.LinkConfig{Latency: time.Second, DropPPM: 1_000_000}})
	n := s.Node("n1")
	var in inbox
	in.listen(nw, n)
	nw.Isolate(1)
	nw.Send(n, 1, "x")
	in.expect(t, "")
	s.Run()
	in.expect(t, "x@0")
	if !nw.Reach(1, 1) {
		t.Error("a node does not reach itself")
	}
}

func TestDownNodeSendsNothing(t *testing.T) {
	s, nw := world(1, 2, simnet.Config{Link: exact})
	s.Node("n1").Crash()
	records := s.RecordCount()
	nw.Send(s.Node("n1"), 2, "x")
	nw.SendRaw(1, 2, "raw", func() { t.Error("a ghost's message arrived") })
	s.Run()
	if s.RecordCount() != records || nw.Stats() != (simnet.Stats{}) {
		t.Errorf("a ghost left %d records and the counts %+v", s.RecordCount()-records, nw.Stats())
	}
}

func TestPausedNodesMessagesWait(t *testing.T) {
	s, nw := world(1, 3, simnet.Config{Link: exact})
	n := s.Node("n2")
	var in inbox
	in.listen(nw, n)
	n.Pause()
	for i := range 3 {
		s.At(ms(i), func() { nw.Send(s.Node("n1"), 2, i) })
	}
	n.After(2500*time.Microsecond, func() { in = append(in, fmt.Sprintf("timer@%d", s.Now()/ms(1))) })
	s.At(ms(5), func() { nw.Isolate(2) }) // they have arrived: no longer in flight
	s.RunUntil(ms(9))
	in.expect(t, "")
	s.AtFront(ms(10), func() { n.Resume() })
	s.Run()
	in.expect(t, "0@10 1@10 timer@10 2@10")
	expectDrops(t, s, "")
}

func TestCrashDropsWaitingMessages(t *testing.T) {
	s, nw := world(1, 2, simnet.Config{Link: exact})
	n := s.Node("n2")
	var in inbox
	in.listen(nw, n)
	n.Pause()
	nw.Send(s.Node("n1"), 2, "lost")
	nw.Send(s.Node("n1"), 2, "lost too")
	s.Run()
	n.Crash()
	expectDrops(t, s, "n2:down n2:down")
	n.Restart()
	in.listen(nw, n)
	nw.Send(s.Node("n1"), 2, "new")
	s.Run()
	in.expect(t, "new@2")
	if st := nw.Stats(); st.Sent != 3 || st.Delivered != 1 || st.Dropped[simnet.Down] != 2 {
		t.Errorf("the counts are %+v", st)
	}
}

func TestSendRaw(t *testing.T) {
	s, nw := world(1, 2, simnet.Config{Link: exact})
	ran := 0
	send := func() {
		nw.SendRaw(1, 2, "segment 1", func() {
			ran++
			s.Emit(s.Node("n2"), "tcp.accept", "")
		})
	}
	s.At(0, send)
	s.Run()
	if ran != 1 || s.Now() != ms(1) {
		t.Fatalf("ran %d times until %v, want once after 1 ms", ran, s.Now())
	}
	r := s.Records()[2:] // after the boots
	if len(r) != 3 || r[0].Kind != simnet.KindSend || r[1].Kind != simnet.KindDeliver || r[1].Cause != r[0].Seq || r[2].Cause != r[1].Seq {
		t.Fatalf("the records are %+v", r)
	}
	if r[0].Node != 1 || r[1].Node != 2 || r[0].Text != "segment 1" || r[1].Text != "segment 1" {
		t.Errorf("the records are %+v", r)
	}
	nw.Cut(1, 2)
	send()
	nw.Heal()
	send()
	s.Node("n2").Pause()
	s.Run()
	s.Node("n2").Crash()
	s.Run()
	if ran != 1 {
		t.Errorf("a dropped message ran deliver")
	}
	expectDrops(t, s, "n1:partition n2:down")
}

type described struct{ key string }

func (d described) Describe() string { return "put " + d.key }

func TestTraceText(t *testing.T) {
	s, nw := world(1, 2, simnet.Config{Link: exact})
	var in inbox
	in.listen(nw, s.Node("n2"))
	for _, payload := range []any{described{"k1"}, ping{1}, &ping{1}, "text", nil} {
		nw.Send(s.Node("n1"), 2, payload)
	}
	var texts []string
	for _, r := range s.Records() {
		if r.Kind == simnet.KindSend {
			texts = append(texts, r.Text)
		}
	}
	want := []string{"put k1", "simnet_test.ping", "*simnet_test.ping", "string", "nil"}
	if !slices.Equal(texts, want) {
		t.Errorf("payloads appear as %q, want %q", texts, want)
	}
}

// TestSendLeavesCause checks that what follows a Send in an event has the same
// cause as what stood before it.
func TestSendLeavesCause(t *testing.T) {
	s, nw := world(1, 2, simnet.Config{Link: exact})
	s.At(0, func() {
		seq := s.Begin(nil, "x", "")
		nw.Send(s.Node("n1"), 2, "x")
		nw.Send(s.Node("n1"), 9, "x")
		if s.Cause() != seq {
			t.Errorf("the cause is %d, want %d", s.Cause(), seq)
		}
	})
	s.Run()
}

// arrivals returns when 50 messages on the link from n1 to n2 arrive.
func arrivals(prepare func(s *kernel.Sim, nw *simnet.Network), link simnet.LinkConfig) string {
	s, nw := world(5, 3, simnet.Config{Link: link})
	var in []string
	nw.Handle(s.Node("n2"), func(from id, payload any) {
		if from == 1 {
			in = append(in, fmt.Sprintf("%v:%v", payload, s.Now()))
		}
	})
	prepare(s, nw)
	for i := range 50 {
		s.At(ms(100+100*i), func() { nw.Send(s.Node("n1"), 2, i) })
	}
	s.Run()
	return strings.Join(in, " ")
}

func TestLinkStreamsAreIndependent(t *testing.T) {
	none := func(*kernel.Sim, *simnet.Network) {}
	base := arrivals(none, simnet.DefaultLink())
	traffic := arrivals(func(s *kernel.Sim, nw *simnet.Network) {
		for i := range 20 {
			nw.Send(s.Node("n1"), 3, i)
			nw.Send(s.Node("n2"), 1, i)
			nw.Send(s.Node("n3"), 2, i)
		}
	}, simnet.DefaultLink())
	if traffic != base {
		t.Error("traffic on other links changed the delays of this one")
	}
	cut := arrivals(func(s *kernel.Sim, nw *simnet.Network) {
		s.At(ms(950), func() { nw.Cut(1, 2) })
		s.At(ms(1950), func() { nw.Heal() })
	}, simnet.DefaultLink())
	if _, after, _ := strings.Cut(base, " 19:"); !strings.HasSuffix(cut, after) {
		t.Error("a cut changed the delays of messages after it")
	}
	lossy := simnet.DefaultLink()
	lossy.DropPPM = 200_000
	for _, arrival := range strings.Split(arrivals(none, lossy), " ") {
		if !strings.Contains(base, arrival) {
			t.Errorf("with loss, %s differs from the run without", arrival)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	tests := []struct {
		c    simnet.LinkConfig
		want string // field in the error; "": valid
	}{
		{simnet.LinkConfig{}, ""},
		{simnet.DefaultLink(), ""},
		{simnet.LinkConfig{DropPPM: 1_000_000}, ""},
		{simnet.LinkConfig{Latency: -1}, "Latency"},
		{simnet.LinkConfig{Jitter: -1}, "Jitter"},
		{simnet.LinkConfig{Tail: 1 << 62}, "Tail"},
		{simnet.LinkConfig{TailPPM: -1}, "TailPPM"},
		{simnet.LinkConfig{DropPPM: 1_000_001}, "DropPPM"},
		{simnet.LinkConfig{DupPPM: -1}, "DupPPM"},
	}
	_, nw := world(1, 2, simnet.Config{Link: exact})
	for _, tt := range tests {
		for what, err := range map[string]error{
			"Validate": simnet.Config{Link: tt.c}.Validate(),
			"SetLink":  nw.SetLink(1, 2, tt.c),
		} {
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), " "+tt.want+" ") {
				t.Errorf("%s of %+v: %v, want an error about %q", what, tt.c, err, tt.want)
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("New accepted a negative latency")
		}
	}()
	simnet.New(kernel.New(kernel.Config{}), simnet.Config{Link: simnet.LinkConfig{Latency: -1}})
}

func TestZeroLinkMeansDefault(t *testing.T) {
	_, nw := world(1, 2, simnet.Config{})
	if got := nw.LinkConfig(1, 2); got != simnet.DefaultLink() {
		t.Errorf("a link starts as %+v", got)
	}
	if err := nw.SetLink(1, 2, exact); err != nil || nw.LinkConfig(1, 2) != exact {
		t.Errorf("SetLink: %v, the link is %+v", err, nw.LinkConfig(1, 2))
	}
	nw.ResetLink(1, 2)
	if got := nw.LinkConfig(1, 2); got != simnet.DefaultLink() {
		t.Errorf("ResetLink left %+v", got)
	}
}

func TestChangesAreReportedAndTraced(t *testing.T) {
	s, nw := world(1, 3, simnet.Config{})
	before := len(s.Records())
	steps := []struct {
		what string
		do   func() bool
		ok   bool
	}{
		{"heal of nothing", nw.Heal, false},
		{"partition", func() bool { return nw.Partition([]id{1}, []id{2, 3}) }, true},
		{"same partition", func() bool { return nw.Partition([]id{2, 3}, []id{1}) }, false},
		{"cut of a cut link", func() bool { return nw.Cut(1, 2) }, false},
		{"isolate adds a cut", func() bool { return nw.Isolate(2) }, true},
		{"isolate again", func() bool { return nw.Isolate(2) }, false},
		{"heal-link", func() bool { return nw.HealLink(3, 2) }, true},
		{"heal-link again", func() bool { return nw.HealLink(3, 2) }, false},
		{"heal", nw.Heal, true},
		{"cut", func() bool { return nw.Cut(3, 1) }, true},
	}
	for _, st := range steps {
		if got := st.do(); got != st.ok {
			t.Errorf("%s reports %v, want %v", st.what, got, st.ok)
		}
	}
	var got []string
	for _, r := range s.Records()[before:] {
		got = append(got, strings.TrimSpace(string(r.Kind)+" "+r.Text))
	}
	want := []string{"net.partition n1 | n2 n3", "net.isolate n2", "net.heal-link n3 to n2", "net.heal", "net.cut n3 to n1"}
	if !slices.Equal(got, want) {
		t.Errorf("the trace says %q, want %q", got, want)
	}
}

func TestReasonNames(t *testing.T) {
	want := []string{"partition", "partition-in-flight", "loss", "down", "no-handler", "queue", "corrupt", "Reason(7)"}
	for i, name := range want {
		if got := simnet.Reason(i).String(); got != name {
			t.Errorf("reason %d is %q, want %q", i, got, name)
		}
	}
}
