// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/hmdsefi/faultline/artifact/internal/lines"
	"github.com/hmdsefi/faultline/gaps"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// Console writes report.txt: what the console shows of a failing seed, with
// stacks whole, and what else the report holds.
func Console(w io.Writer, run *Run) error {
	out := bufio.NewWriter(w)
	r := &run.Report
	fmt.Fprintf(out, "%s: %s/seed=%v\n", strings.ToUpper(string(r.Status)), lines.Printable(r.Test), r.Seed)
	fmt.Fprintf(out, "faultline: %s\n", headline(r))
	if f := r.Failure; f != nil {
		indent(out, "  ", f.Message)
		indent(out, "  ", f.Stack)
	}
	for _, line := range consoleLines(run) {
		if line.text != "" {
			fmt.Fprintf(out, "%-13s%s\n", line.label+":", lines.PrintableLines(line.text))
		}
	}
	for _, warning := range r.Warnings {
		indent(out, "", "warning: "+warning)
	}
	return out.Flush()
}

type labelled struct{ label, text string }

func consoleLines(run *Run) []labelled {
	r := &run.Report
	open := ""
	if n := len(gaps.Open(run.Gaps)); n > 0 {
		open = fmt.Sprintf("%d in the test binary, see %s", n, GapsFile)
	}
	return []labelled{
		{"replay", r.Replay},
		{"fresh run", freshRun(r)},
		{"package", r.Package},
		{"seed", fmt.Sprintf("%v, from %s", r.Seed, r.SeedSource)},
		{"determinism", level(r)},
		{"run", fmt.Sprintf("%d events, %d records, ended at t=%s (%s), trace hash %v", r.Run.Events, r.Run.Records, r.Run.End, r.Run.Stop, r.Run.TraceHash)},
		{"planners", strings.Join(r.Run.Planners, ", ")},
		{"nodes", nodeList(r.Nodes)},
		{"gaps", open},
		{"options", compact(r.Options)},
		{"versions", fmt.Sprintf("faultline %s, %s, %s/%s", r.Versions.Faultline, r.Versions.Go, r.Versions.OS, r.Versions.Arch)},
	}
}

func freshRun(r *Report) string {
	if r.Confirmation == nil {
		return ""
	}
	return strings.ReplaceAll(lines.PrintableLines(r.Confirmation.String()), "\n", "\n  ")
}

// headline says in one line how the run ended.
func headline(r *Report) string {
	f := r.Failure
	switch {
	case f == nil:
		return "passed"
	case f.Headline != "":
		return lines.Printable(f.Headline)
	}
	check := ""
	if f.Check != "" {
		check = fmt.Sprintf(" %q", lines.Printable(f.Check))
	}
	return fmt.Sprintf("%s%s %s at t=%v (event %d)", f.Kind, check, verb(f.Kind), kernel.Time(f.AtNS), f.Event)
}

// verbs say what happened when a check of that kind did not hold.
var verbs = map[string]string{"invariant": "violated", "final": "failed"}

func verb(kind string) string {
	if v := verbs[kind]; v != "" {
		return v
	}
	return "reported"
}

func level(r *Report) string {
	if r.ExactBackend == "" {
		return r.DeterminismLevel
	}
	return fmt.Sprintf("%s (%s backend)", r.DeterminismLevel, r.ExactBackend)
}

// compact returns a JSON text without the white space of the file that it was in.
func compact(text json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return string(text)
	}
	return b.String()
}

func nodeList(nodes []Node) string {
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		parts[i] = fmt.Sprintf("%s#%d %s", n.Name, n.Inc, n.State)
	}
	return strings.Join(parts, ", ")
}

func indent(w io.Writer, by, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(w, "%s%s\n", by, strings.ReplaceAll(lines.PrintableLines(text), "\n", "\n"+by))
}
