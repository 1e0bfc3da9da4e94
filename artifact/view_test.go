// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// checkViews renders all views of run and checks what holds for any run.
func checkViews(t *testing.T, run *Run) {
	t.Helper()
	checkTexts(t, run)
	checkPage(t, run)
}

// checkTexts is checkViews without the page, which takes a fuzzer too long.
func checkTexts(t *testing.T, run *Run) {
	t.Helper()
	var timeline, console, diagram bytes.Buffer
	for _, err := range []error{Timeline(&timeline, run), Console(&console, run), Diagram(&diagram, run)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, view := range []*bytes.Buffer{&timeline, &console, &diagram} {
		if !utf8.Valid(view.Bytes()) {
			t.Errorf("invalid UTF-8 in\n%q", view.Bytes())
		}
		if i := strings.IndexFunc(view.String(), func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
			t.Errorf("a control character in\n%q", view.Bytes())
		}
	}
	lines := 0
	for line := range strings.Lines(timeline.String()) {
		if line[0] != '#' {
			lines++
		}
	}
	if lines != len(run.Records) {
		t.Errorf("%d lines for %d records in\n%s", lines, len(run.Records), timeline.Bytes())
	}
	checkDiagram(t, diagram.String())
}

// checkDiagram checks Mermaid's limits, and that every edge has both its ends.
func checkDiagram(t *testing.T, text string) {
	t.Helper()
	if len(text) > 50_000 {
		t.Errorf("the diagram has %d bytes, and Mermaid takes 50,000", len(text))
	}
	boxes := map[string]bool{}
	edges := 0
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if name, _, ok := strings.Cut(strings.TrimSpace(line), "["); ok && strings.HasPrefix(name, "r") {
			boxes[name] = true
			if label := strings.TrimSpace(line)[len(name):]; strings.Count(label, `"`) != 2 || strings.ContainsAny(label[2:len(label)-2], "<>`\\") {
				t.Errorf("label %s", label)
			}
		}
		if len(fields) == 3 && strings.HasSuffix(fields[1], "->") {
			edges++
			if !boxes[fields[0]] || !boxes[fields[2]] {
				t.Errorf("edge %s without its ends", line)
			}
		}
	}
	if edges > 500 {
		t.Errorf("the diagram has %d edges, and Mermaid takes 500", edges)
	}
}

func TestViewsOfTheSample(t *testing.T) {
	checkViews(t, sampleRun())
	run := sampleRun()
	run.Report.Failure.Stack = "panic: boom\x1b[31m\n\ngoroutine 1 [running]:\nmain.main()\n\tC:\\src\\main.go:7 +0x1d\n"
	run.Report.ExactBackend = "toolexec"
	run.Report.Run.Dropped = 3
	checkViews(t, run)
	var console bytes.Buffer
	if err := Console(&console, run); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  panic: boom\\x1b[31m\n", "  \tC:\\src\\main.go:7 +0x1d\n", "exact (toolexec backend)\n", "1 in the test binary, see toolexec-gaps.txt\n",
	} {
		if !strings.Contains(console.String(), want) {
			t.Errorf("no %q in\n%s", want, console.String())
		}
	}
}

func TestCausalSlice(t *testing.T) {
	records := sampleRun().Records
	for _, c := range []struct {
		seq   uint64
		limit int
		want  []uint64
		cut   bool
	}{
		{14, 100, []uint64{1, 8, 9, 10, 12, 13, 14}, false}, // the restart, the fault that it ends, the crash before it and its cost
		{7, 100, []uint64{1, 2, 3, 4, 5, 6, 7}, false},      // across both nodes
		{14, 3, []uint64{12, 13, 14}, true},
		{14, 6, []uint64{8, 9, 10, 12, 13, 14}, true}, // the cost counts like a cause
		{14, 7, []uint64{1, 8, 9, 10, 12, 13, 14}, false},
		{1, 100, []uint64{1}, false},
		{99, 100, nil, false},
		{14, 0, nil, true},
	} {
		s := CausalSlice(records, c.seq, c.limit)
		if !slices.Equal(s.Seqs, c.want) || s.Cut != c.cut {
			t.Errorf("CausalSlice(%d, %d) = %v, want %v, %v", c.seq, c.limit, s, c.want, c.cut)
		}
	}
	// Of a trace that lost its beginning, what is left still works.
	if s := CausalSlice(records[7:], 14, 100); !slices.Equal(s.Seqs, []uint64{8, 9, 10, 12, 13, 14}) {
		t.Errorf("slice of the end of a trace: %v", s)
	}
}

// longRun has a chain of n records, each the cause of the next.
func longRun(n int) *Run {
	run := sampleRun()
	run.Records = nil
	for i := range n {
		run.Records = append(run.Records, kernel.Record{
			Seq: uint64(i + 1), At: kernel.Time(i), Node: kernel.NodeID(i%2 + 1), Inc: 1, Kind: "boot",
			Cause: uint64(i), Text: strings.Repeat("<\"&>", 100),
		})
	}
	run.Report.Failure.Record = uint64(n)
	return run
}

func TestLongSlicesAreCut(t *testing.T) {
	run := longRun(20_000)
	checkViews(t, run)
	var timeline, diagram bytes.Buffer
	if err := Timeline(&timeline, run); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(timeline.String(), "\n* "); n != timelineSlice-1 {
		t.Errorf("%d records are marked, want %d besides the failure", n, timelineSlice-1)
	}
	if !strings.Contains(timeline.String(), "# more led to the failure") {
		t.Error("the timeline does not say that its slice is cut")
	}
	if err := Diagram(&diagram, run); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(diagram.String(), "%% only the last 200 records") {
		t.Error("the diagram does not say that it is cut")
	}
}

func TestTimelineWithoutARecordedFailure(t *testing.T) {
	run := sampleRun()
	run.Report.Failure.Record = 0
	var timeline bytes.Buffer
	if err := Timeline(&timeline, run); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(timeline.String()) {
		if line[0] != '#' && line[0] != ' ' {
			t.Errorf("marked line %s", line)
		}
	}
}

func TestNodesThatTheReportLacks(t *testing.T) {
	run := sampleRun()
	run.Report.Nodes = run.Report.Nodes[1:] // the report knows c1 alone
	checkViews(t, run)
	dir := mustWrite(t, t.TempDir(), run)
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if kernel.HashRecords(got.Records) != kernel.HashRecords(run.Records) {
		t.Error("the records changed on their way")
	}
}
