// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/hmdsefi/faultline/artifact/internal/lines"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// Mermaid refuses a text of more than 50,000 characters and a flowchart of more
// than 500 edges. At most two edges end in each record.
const (
	diagramSlice = 200 // records
	labelBytes   = 120 // of one record
)

// Diagram writes hb.mmd: the causal slice of the failure as a Mermaid flowchart.
// A full arrow leads from a cause to its effect, a dotted one from the last
// change in the life of a node to what the node did then.
func Diagram(w io.Writer, run *Run) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "flowchart TD")
	f := run.Report.Failure
	if f == nil {
		return out.Flush()
	}
	slice := CausalSlice(run.Records, f.Record, diagramSlice)
	names := run.Report.NodeNames()
	if slice.Cut {
		fmt.Fprintf(out, "  %%%% only the last %d records that led to the failure\n", diagramSlice)
	}
	for _, seq := range slice.Seqs {
		i, _ := find(run.Records, seq)
		r := &run.Records[i]
		fmt.Fprintf(out, "  r%d[\"%s\"]\n", seq, diagramLabel(lines.Incarnation(names, r), r))
	}
	for _, e := range slice.edges(run.Records) {
		arrow := "-->"
		if e.life {
			arrow = "-.->"
		}
		fmt.Fprintf(out, "  r%d %s r%d\n", e.from, arrow, e.to)
	}
	if len(slice.Seqs) > 0 {
		fmt.Fprintf(out, "  classDef failure stroke-width:3px\n  class r%d failure\n", f.Record)
	}
	return out.Flush()
}

func diagramLabel(node string, r *kernel.Record) string {
	var parts []string
	for _, p := range []string{r.At.String(), node, string(r.Kind), r.Text} {
		if p != "" {
			parts = append(parts, lines.Printable(p))
		}
	}
	var b strings.Builder
	for _, c := range strings.Join(parts, " ") {
		if b.Len() >= labelBytes {
			b.WriteString("...")
			break
		}
		b.WriteString(escapeLabel(c))
	}
	return b.String()
}

// escapeLabel writes characters that mean something in a quoted label as entities,
// which Mermaid spells with '#'.
func escapeLabel(c rune) string {
	if strings.ContainsRune("#\"&<>`;\\", c) {
		return fmt.Sprintf("#%d;", c)
	}
	return string(c)
}
