// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// ticking runs n events, of which event odd (from 1) leaves a record of its own.
func ticking(n, odd int) (*kernel.Sim, checkpoints) {
	var marks checkpoints
	s := kernel.New(kernel.Config{Seed: 1, Record: true})
	s.OnEvent(func() { marks.add(s) })
	for i := 1; i <= n; i++ {
		text := "tick"
		if i == odd {
			text = "tock"
		}
		s.At(kernel.Time(i)*kernel.Time(time.Millisecond), func() { s.Emit(nil, kernel.KindLog, text) })
	}
	s.Run()
	return s, marks
}

func TestCheckpointsFindWhereRunsPart(t *testing.T) {
	tests := []struct{ events, odd, agree, differ int }{
		{100, 0, 100, 0},
		{100, 1, 0, 1},
		{100, 57, 56, 57},
		{maxCheckpoints * 3, 9001, 9000, 9004}, // strides of 4
	}
	for _, tt := range tests {
		_, x := ticking(tt.events, 0)
		_, y := ticking(tt.events, tt.odd)
		agree, differ := x.compare(y)
		if agree != tt.agree || differ != tt.differ {
			t.Errorf("%d events, different at %d: agree to %d and differ by %d, want %d and %d",
				tt.events, tt.odd, agree, differ, tt.agree, tt.differ)
		}
		if len(x.hashes) > maxCheckpoints {
			t.Errorf("%d checkpoints for %d events", len(x.hashes), tt.events)
		}
	}
}

func TestCheckpointsOfDifferentLength(t *testing.T) {
	_, x := ticking(10, 0)
	_, y := ticking(maxCheckpoints+2, 0)
	if agree, differ := x.compare(y); agree != 10 || differ != 0 {
		t.Errorf("agree to %d and differ by %d, want 10 and 0", agree, differ)
	}
}

func TestFirstDifference(t *testing.T) {
	s, _ := ticking(10, 0)
	other, _ := ticking(10, 4)
	shorter, _ := ticking(7, 0)
	for _, tt := range []struct {
		name string
		x, y *kernel.Sim
		want int
	}{{"same", s, s, -1}, {"changed", s, other, 3}, {"shorter", s, shorter, 7}, {"longer", shorter, s, 7}} {
		if got := firstDifference(tt.x.Records(), tt.y.Records()); got != tt.want {
			t.Errorf("%s: record %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestDeterminismFailureShowsTheRecords(t *testing.T) {
	run := func(odd int) *outcome {
		s, marks := ticking(10, odd)
		return &outcome{hash: s.TraceHash(), events: s.Events(), records: s.Records(), marks: marks}
	}
	x, y := run(0), run(4)
	f := determinismFailure(x, x, y, "likely causes")
	if f.signature() != "determinism:trace" || f.at != kernel.Time(4*time.Millisecond) || f.event != 4 {
		t.Errorf("signature %s at %v", f.signature(), f.moment)
	}
	for _, want := range []string{"#3 0.003000000s log tick", "#4 0.004000000s log tick", "#4 0.004000000s log tock", "likely causes"} {
		if !strings.Contains(f.message, want) {
			t.Errorf("message lacks %q:\n%s", want, f.message)
		}
	}
	// The first run was not recorded, and the recorded ones agree.
	first := run(6)
	first.records = nil
	f = determinismFailure(first, x, x, "likely causes")
	if !strings.Contains(f.message, "agree up to event 5 and differ after event 6") {
		t.Errorf("message does not say where the unrecorded run left:\n%s", f.message)
	}
}
