// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// Marks in the first column of a timeline.
const (
	failureMark = "!"
	causeMark   = "*"
)

const (
	timelineSlice = 10_000 // records of the causal slice that a timeline marks
	widestColumn  = 28     // a column gets no wider; a longer text pushes the rest
)

// Timeline writes timeline.txt: each record of run on a line of its own, with
// '!' before the failure, '*' before what led to it, and '<- seq' for its cause.
func Timeline(w io.Writer, run *Run) error {
	out := bufio.NewWriter(w)
	writeLegend(out, run)
	var slice Slice
	failure := uint64(0)
	if f := run.Report.Failure; f != nil && f.Record != 0 {
		failure = f.Record
		slice = CausalSlice(run.Records, failure, timelineSlice)
	}
	names := nodeNames(run.Report.Nodes)
	columns := measure(run.Records, names)
	for i := range run.Records {
		r := &run.Records[i]
		mark := " "
		switch {
		case r.Seq == failure:
			mark = failureMark
		case slice.Has(r.Seq):
			mark = causeMark
		}
		columns.write(out, mark, r, names)
	}
	if slice.Cut {
		fmt.Fprintf(out, "# more led to the failure: only the last %d records of it are marked\n", timelineSlice)
	}
	return out.Flush()
}

func writeLegend(w io.Writer, run *Run) {
	r := &run.Report
	fmt.Fprintf(w, "# %s %s/seed=%v: %s\n", r.Package, r.Test, r.Seed, headline(r))
	if r.Run.Dropped > 0 {
		fmt.Fprintf(w, "# %d of %d records were not kept\n", r.Run.Dropped, r.Run.Records)
	}
	fmt.Fprintf(w, "# mark (%s failure, %s led to it), seq, time, node#incarnation, kind, text, attributes, <- seq of the cause\n", failureMark, causeMark)
}

// incarnation returns a node's name and, from its first boot on, its incarnation.
func incarnation(name string, r *kernel.Record) string {
	if r.Node == 0 || r.Inc == 0 {
		return name
	}
	return name + "#" + strconv.Itoa(r.Inc)
}

func restOf(r *kernel.Record) string {
	var parts []string
	if r.Text != "" {
		parts = append(parts, printable(r.Text))
	}
	for _, a := range r.Attrs {
		parts = append(parts, printable(a.Key)+"="+printable(a.Value))
	}
	if r.Cause != 0 {
		parts = append(parts, "<- "+strconv.FormatUint(r.Cause, 10))
	}
	return strings.Join(parts, " ")
}

// columns are the widths of the aligned columns.
type columns struct{ seq, at, node, kind int }

// measure finds the widths that records need.
func measure(records []kernel.Record, names []string) columns {
	var c columns
	for i := range records {
		r := &records[i]
		c.node = max(c.node, min(widestColumn, utf8.RuneCountInString(incarnation(nameOf(names, r.Node), r))))
		c.kind = max(c.kind, min(widestColumn, utf8.RuneCountInString(printable(string(r.Kind)))))
	}
	if n := len(records); n > 0 { // both rise
		c.seq = len(strconv.FormatUint(records[n-1].Seq, 10))
		c.at = len(records[n-1].At.String())
	}
	return c
}

func (c *columns) write(w *bufio.Writer, mark string, r *kernel.Record, names []string) {
	line := fmt.Sprintf("%s %*d  %*s  %-*s  %-*s  %s", mark, c.seq, r.Seq, c.at, r.At.String(),
		c.node, incarnation(nameOf(names, r.Node), r), c.kind, printable(string(r.Kind)), restOf(r))
	w.WriteString(strings.TrimRight(line, " "))
	w.WriteByte('\n')
}
