// SPDX-License-Identifier: MPL-2.0

// Package show owns what a terminal shows of a run: its report, and of its records
// those that led to the failure and the last ones before it. It must not know where
// the run comes from. Nothing in it keeps state.
package show

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/artifact/internal/ink"
	"github.com/hmdsefi/faultline/artifact/internal/lines"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// Defaults of [Options].
const (
	DefaultCauses = 25
	DefaultBefore = 10
)

// turningPoints is how many records are shown that led to the failure and changed what
// a node, the network or a disk could do. They say more than the messages between them.
// A final check comes of no record, and so may be of any of them.
const turningPoints = 40

// sliceLimit is more than any choice needs.
const sliceLimit = 100_000

// Options says how a run is shown.
type Options struct {
	Color  bool // with the escape sequences of a terminal
	Causes int  // records that led to the failure, the last ones; below 1 means DefaultCauses
	Before int  // records right before the failure or the end; below 1 means DefaultBefore
}

// Write writes the report of run as report.txt has it, and the records that say
// most about it, each as timeline.txt has it.
func Write(w io.Writer, run *artifact.Run, o Options) error {
	out := bufio.NewWriter(w)
	v := view{out, run, ink.Ink(o.Color)}
	if err := v.report(); err != nil {
		return err
	}
	v.records(choose(run, o))
	return out.Flush()
}

type view struct {
	out *bufio.Writer
	run *artifact.Run
	ink ink.Ink
}

// report writes the report with its first two lines, the verdict, in colour.
func (v *view) report() error {
	var text bytes.Buffer
	if err := artifact.Console(&text, v.run); err != nil {
		return err
	}
	verdict := v.ink.Good
	if v.run.Report.Failure != nil {
		verdict = v.ink.Bad
	}
	for i, line := range strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n") {
		if i < 2 {
			line = verdict(line)
		}
		fmt.Fprintln(v.out, line)
	}
	return nil
}

// choice is which records to show: their places in the trace, rising.
type choice struct {
	places []int
	slice  artifact.Slice
}

func choose(run *artifact.Run, o Options) choice {
	causes, before := o.Causes, o.Before
	if causes <= 0 {
		causes = DefaultCauses
	}
	if before <= 0 {
		before = DefaultBefore
	}
	records := run.Records
	last := len(records) - 1
	var c choice
	if f := run.Report.Failure; f != nil && f.Record != 0 {
		c.slice = artifact.CausalSlice(records, f.Record, sliceLimit)
		last = c.addSlice(records, causes)
	}
	for i := max(0, last-before); i <= last; i++ {
		c.places = append(c.places, i)
	}
	slices.Sort(c.places)
	c.places = slices.Compact(c.places)
	return c
}

// addSlice adds the last records of the slice, and its last turning points. It returns the
// place of the failure.
func (c *choice) addSlice(records []kernel.Record, causes int) (last int) {
	left := turningPoints
	for i := range slices.Backward(records) {
		led := c.slice.Has(records[i].Seq)
		if !led && (last == 0 || c.known()) {
			continue
		}
		last = max(last, i)
		switch {
		case led && causes > 0:
			causes--
		case isTurningPoint(&records[i]) && left > 0:
			left--
		default:
			continue
		}
		c.places = append(c.places, i)
	}
	return last
}

// known reports whether the failure came of something.
func (c *choice) known() bool { return len(c.slice.Seqs) > 1 }

// turningKinds are kinds of turning points beside those of faults.
var turningKinds = map[kernel.Kind]bool{
	kernel.KindCrash: true, kernel.KindRestart: true, kernel.KindPause: true, kernel.KindResume: true,
	"disk.crash": true, "net.drop": true,
}

func isTurningPoint(r *kernel.Record) bool {
	return turningKinds[r.Kind] || fault.IsRecord(r.Kind)
}

func (v *view) records(c choice) {
	if len(c.places) == 0 {
		fmt.Fprintln(v.out, "\nno records were kept of this run")
		return
	}
	fmt.Fprintf(v.out, "\n%s\n", v.ink.Bold(v.heading(&c)+": seq, time, node#incarnation, kind, text, <- cause"))
	names := v.run.Report.NodeNames()
	var columns lines.Columns
	for _, i := range c.places {
		columns.Fit(v.run.Records[i:i+1], names)
	}
	next := 0
	for _, i := range c.places {
		v.leftOut(next, i, &c.slice)
		v.record(&columns, i, &c.slice, names)
		next = i + 1
	}
	v.leftOut(next, len(v.run.Records), &c.slice)
}

func (v *view) heading(c *choice) string {
	switch {
	case v.run.Report.Failure == nil:
		return "the last records"
	case !c.known():
		return "what changed nodes, network and disks, and the last records before the failure (!), which is of none of them alone"
	}
	return "what led to the failure (*, ! is the failure) and the last records before it"
}

// leftOut stands for the records from one place to another.
func (v *view) leftOut(from, to int, slice *artifact.Slice) {
	if from == to {
		return
	}
	text := fmt.Sprintf("  ... %d more", to-from)
	causes := 0
	for i := from; i < to; i++ {
		if slice.Has(v.run.Records[i].Seq) {
			causes++
		}
	}
	if causes > 0 {
		text += fmt.Sprintf(", of which %d led to the failure", causes)
	}
	fmt.Fprintln(v.out, v.ink.Dim(text))
}

func (v *view) record(columns *lines.Columns, i int, slice *artifact.Slice, names []string) {
	r := &v.run.Records[i]
	f := v.run.Report.Failure
	switch {
	case f != nil && r.Seq == f.Record:
		fmt.Fprintln(v.out, v.ink.Bad(columns.Line(lines.FailureMark, r, names)))
	case slice.Has(r.Seq):
		fmt.Fprintln(v.out, v.ink.Mark(columns.Line(lines.CauseMark, r, names)))
	default:
		fmt.Fprintln(v.out, columns.Line(" ", r, names))
	}
}
