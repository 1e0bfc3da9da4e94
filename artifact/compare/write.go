// SPDX-License-Identifier: MPL-2.0

package compare

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/artifact/internal/ink"
	"github.com/hmdsefi/faultline/artifact/internal/lines"
	"github.com/hmdsefi/faultline/sched/decisions"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// DefaultContext is the default of Options.Context.
const DefaultContext = 6

// listed is how many counts and faults are shown.
const listed = 20

// Options says how a difference is shown.
type Options struct {
	Color   bool // with the escape sequences of a terminal
	Context int  // records before the first difference, and of each run from there; below 1 means DefaultContext
}

// Write writes the difference as a text: A and B, the first record that differs with its
// surroundings, and the shape of the difference.
func (d *Difference) Write(w io.Writer, o Options) error {
	out := bufio.NewWriter(w)
	context := o.Context
	if context <= 0 {
		context = DefaultContext
	}
	p := printer{out, d, ink.Ink(o.Color), context}
	p.heads()
	p.firstRecord()
	p.firstDecision()
	p.counts()
	p.faults()
	return out.Flush()
}

type printer struct {
	out     *bufio.Writer
	d       *Difference
	ink     ink.Ink
	context int
}

// sideA and sideB are the marks of a line that only one run has.
const (
	sideA = "A"
	sideB = "B"
)

func (p *printer) a(text string) { fmt.Fprintln(p.out, p.ink.Mark(text)) }

func (p *printer) b(text string) { fmt.Fprintln(p.out, p.ink.Other(text)) }

func (p *printer) heading(format string, args ...any) {
	fmt.Fprintf(p.out, "\n%s\n", p.ink.Bold(fmt.Sprintf(format, args...)))
}

func (p *printer) heads() {
	p.a(head(sideA, p.d.A))
	p.b(head(sideB, p.d.B))
}

func head(side string, run *artifact.Run) string {
	r := &run.Report
	verdict := string(r.Status)
	if r.Failure != nil {
		verdict = fmt.Sprintf("%s at t=%s (event %d)", r.Failure.Signature, r.Failure.At, r.Failure.Event)
	}
	return fmt.Sprintf("%s %s/seed=%v: %s, %d records, %d events, trace hash %v", side,
		lines.Printable(r.Test), r.Seed, lines.Printable(verdict), len(run.Records), r.Run.Events, r.Run.TraceHash)
}

func (p *printer) firstRecord() {
	d := p.d
	if d.sameRecords() {
		p.heading("all %d records are equal", d.Record)
		return
	}
	p.heading("%d records are equal; the first difference:", d.Record)
	from := max(0, d.Record-p.context)
	common, a, b := d.A.Records[from:d.Record], upTo(d.A.Records[d.Record:], p.context), upTo(d.B.Records[d.Record:], p.context)
	namesA, namesB := d.A.Report.NodeNames(), d.B.Report.NodeNames()
	var columns lines.Columns
	columns.Fit(common, namesA)
	columns.Fit(a, namesA)
	columns.Fit(b, namesB)
	for i := range common {
		fmt.Fprintln(p.out, p.ink.Dim(columns.Line(" ", &common[i], namesA)))
	}
	p.side(sideA, &columns, a, namesA, p.a)
	p.side(sideB, &columns, b, namesB, p.b)
}

// side writes how one run goes on.
func (p *printer) side(mark string, columns *lines.Columns, records []kernel.Record, names []string, write func(string)) {
	if len(records) == 0 {
		write(mark + " the run has no more records")
	}
	for i := range records {
		write(columns.Line(mark, &records[i], names))
	}
}

func upTo[T any](list []T, n int) []T { return list[:min(n, len(list))] }

func (p *printer) firstDecision() {
	d := p.d
	switch {
	case d.Decision < 0:
		return
	case d.sameDecisions():
		p.heading("all %d decisions over goroutines are equal", d.Decision)
		return
	}
	p.heading("%d decisions over goroutines are equal; then the schedules part:", d.Decision)
	a, b := d.A.Decisions.Decisions, d.B.Decisions.Decisions
	for i := max(0, d.Decision-p.context); i < d.Decision; i++ {
		fmt.Fprintln(p.out, p.ink.Dim(decisionLine(" ", i, &a[i])))
	}
	for i := range upTo(a[d.Decision:], p.context) {
		p.a(decisionLine(sideA, d.Decision+i, &a[d.Decision+i]))
	}
	for i := range upTo(b[d.Decision:], p.context) {
		p.b(decisionLine(sideB, d.Decision+i, &b[d.Decision+i]))
	}
}

// decisionLine tells one decision; they are counted from 1.
func decisionLine(mark string, i int, d *decisions.Decision) string {
	return fmt.Sprintf("%s %6d  %s", mark, i+1, lines.Printable(d.String()))
}

func (p *printer) counts() {
	list := p.d.Counts
	if len(list) == 0 {
		return
	}
	p.heading("records by node and kind until t=%v, where the numbers differ:", p.d.Until)
	width, kind := len("node"), len("kind")
	for _, c := range upTo(list, listed) {
		width, kind = max(width, len(lines.Printable(c.Node))), max(kind, len(lines.Printable(string(c.Kind))))
	}
	fmt.Fprintf(p.out, "  %-*s  %-*s  %7s  %7s  %8s\n", width, "node", kind, "kind", sideA, sideB, "B-A")
	for _, c := range upTo(list, listed) {
		fmt.Fprintf(p.out, "  %-*s  %-*s  %7d  %7d  %+8d\n", width, lines.Printable(c.Node), kind, lines.Printable(string(c.Kind)), c.A, c.B, c.B-c.A)
	}
	p.more(len(list))
}

func (p *printer) faults() {
	if len(p.d.OnlyA) == 0 && len(p.d.OnlyB) == 0 {
		return
	}
	p.heading("faults until t=%v that only one of them has:", p.d.Until)
	p.only(sideA, p.d.OnlyA, p.d.A.Report.NodeNames(), p.a)
	p.only(sideB, p.d.OnlyB, p.d.B.Report.NodeNames(), p.b)
}

func (p *printer) only(mark string, list []kernel.Record, names []string, write func(string)) {
	var columns lines.Columns
	columns.Fit(list, names)
	for i := range upTo(list, listed) {
		write(columns.Line(mark, &list[i], names))
	}
	p.more(len(list))
}

// more says how much of a list is not shown.
func (p *printer) more(n int) {
	if n > listed {
		fmt.Fprintln(p.out, p.ink.Dim("  and "+strconv.Itoa(n-listed)+" more"))
	}
}
