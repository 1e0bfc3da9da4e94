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
	rows := timelineRows(run)
	widths := columnWidths(rows)
	for i := range run.Records {
		mark := " "
		switch seq := run.Records[i].Seq; {
		case seq == failure:
			mark = failureMark
		case slice.Has(seq):
			mark = causeMark
		}
		writeRow(out, mark, rows[i], widths)
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

// row holds the columns of one record.
type row struct {
	seq, at, node, kind string // aligned
	rest                string
}

func timelineRows(run *Run) []row {
	names := nodeNames(run.Report.Nodes)
	rows := make([]row, len(run.Records))
	for i := range run.Records {
		r := &run.Records[i]
		rows[i] = row{
			seq:  strconv.FormatUint(r.Seq, 10),
			at:   r.At.String(),
			node: incarnation(nameOf(names, r.Node), r),
			kind: printable(string(r.Kind)),
			rest: restOf(r),
		}
	}
	return rows
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

// widths of the aligned columns.
type widths struct{ seq, at, node, kind int }

func columnWidths(rows []row) widths {
	w := widths{}
	for i := range rows {
		r := &rows[i]
		w.seq = max(w.seq, len(r.seq))
		w.at = max(w.at, len(r.at))
		w.node = max(w.node, min(widestColumn, utf8.RuneCountInString(r.node)))
		w.kind = max(w.kind, min(widestColumn, utf8.RuneCountInString(r.kind)))
	}
	return w
}

func writeRow(w *bufio.Writer, mark string, r row, width widths) {
	line := fmt.Sprintf("%s %*s  %*s  %-*s  %-*s  %s", mark, width.seq, r.seq, width.at, r.at,
		width.node, r.node, width.kind, r.kind, r.rest)
	w.WriteString(strings.TrimRight(line, " "))
	w.WriteByte('\n')
}
