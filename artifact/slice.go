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
	s, _ := causalSlice(records, seq, limit)
	return s
}

// causalSlice walks back from the record: a record always stands behind those it
// came of, so that one pass meets each after all that need it.
func causalSlice(records []kernel.Record, seq uint64, limit int) (Slice, []edge) {
	last, ok := find(records, seq)
	if !ok {
		return Slice{}, nil
	}
	records = records[:last+1]
	lives := lifeBefore(records)
	needed := map[uint64]bool{seq: true}
	var s Slice
	var edges []edge
	for i := last; i >= 0 && len(needed) > 0; i-- {
		r := &records[i]
		if !needed[r.Seq] {
			continue
		}
		if len(s.Seqs) == limit {
			s.Cut = true
			break
		}
		delete(needed, r.Seq)
		s.Seqs = append(s.Seqs, r.Seq)
		for _, e := range []edge{{r.Cause, r.Seq, false}, {lives[i], r.Seq, true}} {
			if e.from != 0 && !(e.life && e.from == r.Cause) {
				needed[e.from] = true
				edges = append(edges, e)
			}
		}
	}
	slices.Reverse(s.Seqs)
	edges = append(edges, s.addLosses(records, limit)...)
	edges = slices.DeleteFunc(edges, func(e edge) bool { return !s.Has(e.from) })
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from)) })
	return s, edges
}

// addLosses adds what the crashes of the slice did to their nodes, such as the
// writes that a disk lost: often that is the answer, though nothing came of it.
func (s *Slice) addLosses(records []kernel.Record, limit int) (edges []edge) {
	crashes := map[uint64]kernel.NodeID{}
	first := len(records)
	for _, seq := range s.Seqs {
		if i, _ := find(records, seq); records[i].Kind == kernel.KindCrash {
			crashes[seq] = records[i].Node
			first = min(first, i)
		}
	}
	for i := first; i < len(records); i++ {
		r := &records[i]
		if node, ok := crashes[r.Cause]; !ok || node != r.Node || s.Has(r.Seq) {
			continue
		}
		if len(s.Seqs) >= limit {
			s.Cut = true
			break
		}
		at, _ := slices.BinarySearch(s.Seqs, r.Seq)
		s.Seqs = slices.Insert(s.Seqs, at, r.Seq)
		edges = append(edges, edge{r.Cause, r.Seq, false})
	}
	return edges
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
