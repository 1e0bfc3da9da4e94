// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"bufio"
	"fmt"
	"io"

	"github.com/hmdsefi/faultline/artifact/internal/lines"
)

// timelineSlice is the number of records of the causal slice that a timeline marks.
const timelineSlice = 10_000

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
	names := run.Report.NodeNames()
	var columns lines.Columns
	columns.Fit(run.Records, names)
	for i := range run.Records {
		r := &run.Records[i]
		mark := " "
		switch {
		case r.Seq == failure:
			mark = lines.FailureMark
		case slice.Has(r.Seq):
			mark = lines.CauseMark
		}
		out.WriteString(columns.Line(mark, r, names) + "\n")
	}
	if slice.Cut {
		fmt.Fprintf(out, "# more led to the failure: only the last %d records of it are marked\n", timelineSlice)
	}
	return out.Flush()
}

func writeLegend(w io.Writer, run *Run) {
	r := &run.Report
	fmt.Fprintf(w, "# %s %s/seed=%v: %s\n", lines.Printable(r.Package), lines.Printable(r.Test), r.Seed, headline(r))
	if r.Run.Dropped > 0 {
		fmt.Fprintf(w, "# %d of %d records were not kept\n", r.Run.Dropped, r.Run.Records)
	}
	fmt.Fprintf(w, "# mark (%s failure, %s led to it), seq, time, node#incarnation, kind, text, attributes, <- seq of the cause\n", lines.FailureMark, lines.CauseMark)
}
