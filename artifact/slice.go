// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"cmp"
	"slices"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// Slice is the part of a trace that led to one record: the chain of its causes,
// for each node on it how that node came to live then, and what crashes cost.
type Slice struct {
	Seqs []uint64 // sequence numbers, rising; the last is the record itself
	Cut  bool     // there is more, which the cap left out
}

// Has reports whether the record with that sequence number is in the slice.
func (s *Slice) Has(seq uint64) bool {
	_, ok := slices.BinarySearch(s.Seqs, seq)
	return ok
}

// lifeKinds are the records that begin, end or interrupt the life of a node.
var lifeKinds = map[kernel.Kind]bool{
	kernel.KindBoot: true, kernel.KindCrash: true, kernel.KindRestart: true,
	kernel.KindPause: true, kernel.KindResume: true,
}

// edge is one step of a slice, from a record to one that came of it.
type edge struct {
	from, to uint64
	life     bool // the node lived on from there, which is not a cause
}

// CausalSlice returns the slice of the record with the given sequence number. Of
// more than limit records it keeps the latest. Without such a record the slice
// is empty.
func CausalSlice(records []kernel.Record, seq uint64, limit int) Slice {
	last, ok := find(records, seq)
	if !ok {
		return Slice{}
	}
	records = records[:last+1]
	needed := walkBack(records)
	addLosses(records, needed)
	var s Slice
	for i := range slices.Backward(records) {
		switch {
		case !needed[i]:
		case len(s.Seqs) == limit: // a long chain of causes must leave room for losses, so both count alike
			s.Cut = true
		default:
			s.Seqs = append(s.Seqs, records[i].Seq)
		}
	}
	slices.Reverse(s.Seqs)
	return s
}

// walkBack returns which records the last one came of. A record always stands behind
// those it came of, so that one pass meets each after all that need it.
func walkBack(records []kernel.Record) (needed []bool) {
	lives := lifeBefore(records)
	needed = make([]bool, len(records))
	needed[len(records)-1] = true
	for i := range slices.Backward(records) {
		if !needed[i] {
			continue
		}
		for _, seq := range []uint64{records[i].Cause, lives[i]} {
			if at, ok := findBefore(records, i, seq); ok {
				needed[at] = true
			}
		}
	}
	return needed
}

// addLosses adds what the crashes among the needed did to their nodes, such as the
// writes that a disk lost: often that is the answer, though nothing came of it.
func addLosses(records []kernel.Record, needed []bool) {
	crashes := map[uint64]kernel.NodeID{}
	for i := range records {
		r := &records[i]
		if node, ok := crashes[r.Cause]; ok && node == r.Node {
			needed[i] = true
		}
		if r.Kind == kernel.KindCrash && needed[i] {
			crashes[r.Seq] = r.Node
		}
	}
}

// edges returns the steps between the records of s, in their order.
func (s *Slice) edges(records []kernel.Record) (list []edge) {
	lives := lifeBefore(records)
	for i := range records {
		r := &records[i]
		if !s.Has(r.Seq) {
			continue
		}
		steps := []edge{{r.Cause, r.Seq, false}, {lives[i], r.Seq, true}}
		if steps[1].from == r.Cause {
			steps = steps[:1]
		}
		slices.SortFunc(steps, func(a, b edge) int { return cmp.Compare(a.from, b.from) })
		list = append(list, slices.DeleteFunc(steps, func(e edge) bool { return !s.Has(e.from) })...)
	}
	return list
}

// lifeBefore returns for each record the sequence number of the record before it
// that last began, ended or interrupted the life of its node; 0 if there is none.
func lifeBefore(records []kernel.Record) []uint64 {
	before := make([]uint64, len(records))
	latest := map[kernel.NodeID]uint64{}
	for i := range records {
		r := &records[i]
		if r.Node == 0 {
			continue
		}
		before[i] = latest[r.Node]
		if lifeKinds[r.Kind] {
			latest[r.Node] = r.Seq
		}
	}
	return before
}

// find returns the place of the record with that sequence number.
func find(records []kernel.Record, seq uint64) (int, bool) {
	return slices.BinarySearchFunc(records, seq, func(r kernel.Record, seq uint64) int {
		switch {
		case r.Seq < seq:
			return -1
		case r.Seq > seq:
			return 1
		}
		return 0
	})
}

// findBefore is find for a number that the i-th record refers to: 0 for none.
func findBefore(records []kernel.Record, i int, seq uint64) (int, bool) {
	if seq == 0 {
		return 0, false
	}
	guess := i - int(records[i].Seq-seq) // right wherever no record is missing
	if guess >= 0 && guess < i && records[guess].Seq == seq {
		return guess, true
	}
	return find(records[:i], seq)
}
