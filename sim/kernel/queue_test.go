// SPDX-License-Identifier: MPL-2.0

package kernel

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestQueueAgainstSortedList runs random operations on a queue and on a list that
// is sorted anew for each of them.
func TestQueueAgainstSortedList(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		nodes := []*Node{nil, {name: "a"}, {name: "b"}}
		var (
			q    queue
			list []entry // the reference
		)
		order := func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank), cmp.Compare(a.seq, b.seq))
		}
		for range 500 {
			switch op := r.IntN(20); {
			case op < 11:
				h := q.alloc(event{fn: func() {}, node: nodes[r.IntN(3)]})
				at, rank := Time(r.IntN(20)), uint64(r.IntN(3))
				q.push(at, rank, h.slot)
				list = append(list, entry{at: at, rank: rank, seq: q.seq, slot: h.slot})
			case op < 15 && len(list) > 0:
				slices.SortFunc(list, order)
				if got := q.pop(); got != list[0] {
					t.Fatalf("seed %d: popped %+v, want %+v", seed, got, list[0])
				}
				q.release(list[0].slot)
				list = list[1:]
			case op < 19 && len(list) > 0:
				i := r.IntN(len(list))
				slot := list[i].slot
				q.removeAt(int(q.slots[slot].pos))
				q.release(slot)
				list = slices.Delete(list, i, i+1)
			case op == 19:
				n := nodes[1+r.IntN(2)]
				list = slices.DeleteFunc(list, func(e entry) bool { return q.slots[e.slot].node == n })
				q.dropNode(n)
			}
			checkQueue(t, &q, len(list))
		}
	}
}

// checkQueue checks that the heap is one, that events know their place, and that
// no slot is lost.
func checkQueue(t *testing.T, q *queue, want int) {
	t.Helper()
	if len(q.heap) != want || len(q.heap)+len(q.free) != len(q.slots) {
		t.Fatalf("%d queued, want %d; %d free of %d slots", len(q.heap), want, len(q.free), len(q.slots))
	}
	for i, e := range q.heap {
		if int(q.slots[e.slot].pos) != i {
			t.Fatalf("the event at %d says that it is at %d", i, q.slots[e.slot].pos)
		}
		if i > 0 && e.before(&q.heap[(i-1)/4]) {
			t.Fatalf("the entry at %d comes before its parent", i)
		}
	}
}

func TestTimerOfReusedSlotIsInert(t *testing.T) {
	s := New(Config{})
	first := s.At(1, func() {})
	s.Run()
	second := s.At(2, func() {})
	if first.slot != second.slot {
		t.Fatalf("slot %d is not used again, but %d", first.slot, second.slot)
	}
	if s.Cancel(first) {
		t.Error("the handle of an event that has run cancelled its successor")
	}
	if !s.Cancel(second) || s.Cancel(second) || s.Cancel(Timer{}) {
		t.Error("Cancel must succeed once for the queued event and never for the zero Timer")
	}
}

func TestRecordEncodingsDiffer(t *testing.T) {
	records := []Record{
		{},
		{Seq: 1},
		{At: 1},
		{At: -1},
		{Node: 1},
		{Inc: 1},
		{Cause: 1},
		{Kind: "a"},
		{Text: "a"},
		{Kind: "ab"},
		{Kind: "a", Text: "b"},
		{Kind: "a", Attrs: []Attr{{"b", ""}}},
		{Kind: "a", Attrs: []Attr{{"", "b"}}},
		{Attrs: []Attr{{"a", "b"}, {"c", "d"}}},
		{Attrs: []Attr{{"a", "bc"}, {"", "d"}}},
		{Attrs: []Attr{{"a", "b"}}},
	}
	seen := map[string]Record{}
	for _, r := range records {
		code := string(appendRecord(nil, &r, r.Attrs))
		if other, ok := seen[code]; ok {
			t.Errorf("%+v and %+v have one encoding", r, other)
		}
		seen[code] = r
	}
}

func TestClockAtTheEndOfTime(t *testing.T) {
	const longest = 1<<63 - 1
	for _, drift := range []int64{-MaxDrift, -1, 0, 1, MaxDrift} {
		c := clock{drift: drift}
		if got := c.toGlobal(longest); got < longest/2 {
			t.Errorf("drift %d: the longest timer waits only %v", drift, got)
		}
		if got := c.at(longest); got < longest/2 {
			t.Errorf("drift %d: at the end of time the clock shows %v", drift, got)
		}
	}
}

func TestClockScale(t *testing.T) {
	const century = 100 * 365 * 24 * 3600 * 1_000_000_000
	tests := []struct {
		drift          int64
		elapsed, local Time
	}{
		{0, 1_000_000_000, 1_000_000_000},
		{100, 1_000_000_000, 1_000_100_000},
		{-100, 1_000_000_000, 999_900_000},
		{MaxDrift, 3, 4},
		{1, 999_999, 999_999},
		{1, 1_000_000, 1_000_001},
		{-MaxDrift, century, century / 2},
	}
	for _, tt := range tests {
		c := clock{drift: tt.drift}
		if got := c.at(tt.elapsed); got != tt.local {
			t.Errorf("drift %d: after %d ns the clock shows %d, want %d", tt.drift, tt.elapsed, got, tt.local)
		}
	}
}

// TestTimerWaitsForLocalTime checks that toGlobal is the least virtual time in
// which the clock advances by d.
func TestTimerWaitsForLocalTime(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		c := clock{drift: Uniform(r, -MaxDrift, MaxDrift)}
		d := Time(Uniform(r, 1, 1<<uint(Uniform(r, 1, 50))))
		g := Time(c.toGlobal(d.Sub(0)))
		if c.at(g) < d || c.at(g-1) >= d {
			t.Fatalf("drift %d: %d ns local are %d ns, which advance the clock by %d (one less: %d)", c.drift, d, g, c.at(g), c.at(g-1))
		}
	}
}
