// SPDX-License-Identifier: MPL-2.0

package sched

import (
	"cmp"

	seam "github.com/hmdsefi/faultline/runtime"
	"github.com/hmdsefi/faultline/sched/decisions"
)

// recorder notes decisions where nothing may be allocated; log turns them into a Log afterwards.
type recorder struct {
	notes []note // its capacity is fixed
	full  bool
}

type note struct {
	kind      seam.Kind
	answer    uint32
	waiting   uint32
	goroutine uint64
	stays     bool
	depth     int
	stack     [recordedDepth]uintptr
}

// recordedDepth is how much of a stack is kept to find the user's frame below those of the runtime and of package sync.
const recordedDepth = 12

func newRecorder(capacity int) *recorder {
	return &recorder{notes: make([]note, 0, capacity)}
}

//go:norace
func (r *recorder) add(kind seam.Kind, n, k uint32) {
	if len(r.notes) == cap(r.notes) {
		r.full = true
		return
	}
	r.notes = r.notes[:len(r.notes)+1]
	d := &r.notes[len(r.notes)-1]
	if kind == seam.TimePasses {
		*d = note{kind: kind, answer: k, stays: true}
		return
	}
	d.kind, d.waiting, d.goroutine, d.stays = kind, n, seam.Candidate(k), k == n
	if !d.stays {
		d.depth = seam.Where(k, d.stack[:])
	}
}

func (r *recorder) log() *decisions.Log {
	l := &decisions.Log{Decisions: make([]decisions.Decision, len(r.notes)), Truncated: r.full}
	places := map[[recordedDepth]uintptr]string{}
	for i := range r.notes {
		d := &r.notes[i]
		l.Decisions[i] = decisions.Decision{Kind: d.kind, Answer: d.answer, Waiting: d.waiting, Goroutine: d.goroutine}
		if d.stays {
			continue
		}
		name, ok := places[d.stack]
		if !ok {
			name = place(d.stack[:d.depth])
			places[d.stack] = name
		}
		l.Decisions[i].Place = cmp.Or(name, unknownPlace) // without a place it would have stayed
	}
	return l
}

// unknownPlace is where a goroutine waits that has no frame of the user's, or has not run yet.
const unknownPlace = "?"

// follower repeats a log. It stops for good at the first decision that does not fit.
type follower struct {
	log    []decisions.Decision
	at     int
	failed bool
}

//go:norace
func (f *follower) next(kind seam.Kind, n uint32) (k uint32, ok bool) {
	if f.failed || f.at == len(f.log) {
		return 0, false
	}
	want := &f.log[f.at]
	candidates := n
	if kind != seam.HandOver {
		candidates++
	}
	switch {
	case want.Kind != kind:
	case kind == seam.TimePasses:
		f.at++
		return want.Answer, true
	default:
		for i := range candidates {
			if seam.Candidate(i) == want.Goroutine {
				f.at++
				return i, true
			}
		}
	}
	f.failed = true
	return 0, false
}

// Unfit tells where a run stopped following a log: at a decision of another kind, or one for which the goroutine of the log did not
// wait.
type Unfit struct {
	Decision  int    // index in the log
	Goroutine uint64 // that goes on in the log
	Place     string // where; empty if it was the running one
}

func (f *follower) unfit() *Unfit {
	if !f.failed {
		return nil
	}
	return &Unfit{Decision: f.at, Goroutine: f.log[f.at].Goroutine, Place: f.log[f.at].Place}
}
