// SPDX-License-Identifier: MPL-2.0

// Package compare owns the comparison of two runs: where they first differ, and in
// what altogether. It must not know where the runs come from or which of them is
// right. Nothing in it keeps state.
package compare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/artifact/internal/lines"
	"github.com/hmdsefi/faultline/sched/decisions"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// Difference is what two runs, A and B, differ in.
type Difference struct {
	A, B *artifact.Run

	// Record is the number of records that are equal in both from the start, and so
	// the place of the first that differs, if the runs differ.
	Record int

	// Decision is the same for decisions over goroutines; -1 unless both runs have
	// them.
	Decision int

	// Until is the time of the last record of the run that ended first. What follows is
	// about the records up to there.
	Until kernel.Time

	Counts []Count // that are not equal, the largest difference first

	// Faults that only one of the runs has, as records.
	OnlyA, OnlyB []kernel.Record
}

// Count is how many records of a kind at a node each run has.
type Count struct {
	Node string // name; empty for none
	Kind kernel.Kind
	A, B int
}

// Runs compares two runs.
func Runs(a, b *artifact.Run) *Difference {
	d := &Difference{A: a, B: b, Record: Prefix(a, b), Decision: -1}
	d.Until = until(a, b)
	d.Counts = counts(a, b, d.Until)
	d.OnlyA, d.OnlyB = onlyIn(a, b, d.Until), onlyIn(b, a, d.Until)
	if a.Decisions != nil && b.Decisions != nil {
		d.Decision = commonDecisions(a.Decisions.Decisions, b.Decisions.Decisions)
	}
	return d
}

// Same reports whether all records and decisions of the runs are equal.
func (d *Difference) Same() bool {
	return d.sameRecords() && d.sameDecisions()
}

func (d *Difference) sameRecords() bool {
	return d.Record == len(d.A.Records) && d.Record == len(d.B.Records)
}

func (d *Difference) sameDecisions() bool {
	return d.Decision < 0 || d.Decision == len(d.A.Decisions.Decisions) && d.Decision == len(d.B.Decisions.Decisions)
}

// Prefix returns how many records from the start are equal in both runs: in time,
// node, incarnation, kind, cause, text and attributes.
func Prefix(a, b *artifact.Run) int {
	namesA, namesB := a.Report.NodeNames(), b.Report.NodeNames()
	n := min(len(a.Records), len(b.Records))
	for i := range n {
		if !equal(&a.Records[i], &b.Records[i], namesA, namesB) {
			return i
		}
	}
	return n
}

func equal(a, b *kernel.Record, namesA, namesB []string) bool {
	return a.Seq == b.Seq && a.At == b.At && a.Inc == b.Inc && a.Kind == b.Kind && a.Cause == b.Cause && a.Text == b.Text &&
		lines.Name(namesA, a.Node) == lines.Name(namesB, b.Node) && slices.Equal(a.Attrs, b.Attrs)
}

// commonDecisions counts decisions from the start that let the same goroutine go on in
// the same function. Lines may differ: those of a program that was mended do.
func commonDecisions(a, b []decisions.Decision) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i].Kind != b[i].Kind || a[i].Answer != b[i].Answer || a[i].Goroutine != b[i].Goroutine || function(a[i].Place) != function(b[i].Place) {
			return i
		}
	}
	return n
}

// function returns the first word of a place.
func function(place string) string {
	name, _, _ := strings.Cut(place, " ")
	return name
}

// until returns the time of the last record of the run that ended first. A run that was
// left at its failure has not had what another one did later.
func until(a, b *artifact.Run) kernel.Time { return min(lastTime(a.Records), lastTime(b.Records)) }

// lastTime returns the time of the last record, 0 of none.
func lastTime(records []kernel.Record) kernel.Time {
	if len(records) == 0 {
		return 0
	}
	return records[len(records)-1].At
}

// Distance is how many records of some kind at some node one of two runs has more of
// than the other, over all kinds and nodes, up to the time when the first of them ended.
func Distance(a, b *artifact.Run) int {
	sum := 0
	for _, c := range counts(a, b, until(a, b)) {
		sum += c.size()
	}
	return sum
}

func (c *Count) size() int { return max(c.A-c.B, c.B-c.A) }

func counts(a, b *artifact.Run, end kernel.Time) []Count {
	type key struct {
		node string
		kind kernel.Kind
	}
	table := map[key]Count{}
	for side, run := range []*artifact.Run{a, b} {
		names := run.Report.NodeNames()
		for i := range run.Records {
			r := &run.Records[i]
			if r.At > end {
				break
			}
			k := key{lines.Name(names, r.Node), r.Kind}
			c := table[k]
			c.Node, c.Kind = k.node, k.kind
			if side == 0 {
				c.A++
			} else {
				c.B++
			}
			table[k] = c
		}
	}
	var list []Count
	for _, c := range table {
		if c.A != c.B {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(x, y Count) int {
		return cmp.Or(cmp.Compare(y.size(), x.size()), cmp.Compare(x.Node, y.Node), cmp.Compare(x.Kind, y.Kind))
	})
	return list
}

// onlyIn returns the faults of run, up to a time, that other has not at the same time.
func onlyIn(run, other *artifact.Run, end kernel.Time) (list []kernel.Record) {
	known := map[string]int{}
	names := other.Report.NodeNames()
	for i := range other.Records {
		if r := &other.Records[i]; fault.IsRecord(r.Kind) {
			known[faultText(r, names)]++
		}
	}
	names = run.Report.NodeNames()
	for i := range run.Records {
		r := &run.Records[i]
		if r.At > end {
			break
		}
		if !fault.IsRecord(r.Kind) {
			continue
		}
		if text := faultText(r, names); known[text] > 0 {
			known[text]--
		} else {
			list = append(list, *r)
		}
	}
	return list
}

// faultText says what a fault did and when, but not its number in the schedule.
func faultText(r *kernel.Record, names []string) string {
	return strings.Join([]string{r.At.String(), lines.Name(names, r.Node), string(r.Kind), r.Text}, "\x00")
}
