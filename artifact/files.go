// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/gaps"
	"github.com/hmdsefi/faultline/sim/history"
)

// file is one file of an artifact directory.
type file struct {
	name   string
	view   bool            // rendered from the other files
	wanted func(*Run) bool // whether a run has the file; nil means always
	write  func(io.Writer, *Run) error
}

// files are the files in the order in which they are written: report.json is the
// last, since it makes the directory an artifact.
func files() []file {
	return []file{
		{TraceFile, false, hasTrace, writeTrace},
		{ScheduleFile, false, func(r *Run) bool { return r.Schedule != nil }, writeSchedule},
		{HistoryFile, false, func(r *Run) bool { return len(r.History) > 0 }, writeHistory},
		{GapsFile, false, nil, writeGaps},
		{GoroutinesFile, false, func(r *Run) bool { return r.Goroutines != "" }, writeGoroutines},
		{StallFile, false, func(r *Run) bool { return r.Stall != "" }, writeStall},
		{DecisionsFile, false, func(r *Run) bool { return r.Decisions != nil }, writeDecisions},
		{ConsoleFile, true, nil, Console},
		{TimelineFile, true, hasTrace, Timeline},
		{PageFile, true, hasTrace, Page},
		{DiagramFile, true, hasDiagram, Diagram},
		{ReportFile, false, nil, writeReport},
	}
}

// wantedFiles returns the files that run has.
func wantedFiles(run *Run) []file {
	return slices.DeleteFunc(files(), func(f file) bool { return f.wanted != nil && !f.wanted(run) })
}

// isOwn reports whether name is that of a file that faultline writes.
func isOwn(name string) bool {
	return slices.ContainsFunc(files(), func(f file) bool { return strings.EqualFold(f.name, name) })
}

func hasTrace(r *Run) bool { return len(r.Records) > 0 }

func hasDiagram(r *Run) bool { return hasTrace(r) && r.Report.Failure != nil }

func writeSchedule(w io.Writer, r *Run) error { return r.Schedule.Write(w) }

func writeHistory(w io.Writer, r *Run) error { return history.WriteJSONL(w, r.History) }

func writeGaps(w io.Writer, r *Run) error { return gaps.Write(w, r.Gaps) }

func writeGoroutines(w io.Writer, r *Run) error { return writeText(w, r.Goroutines) }

func writeStall(w io.Writer, r *Run) error { return writeText(w, r.Stall) }

func writeDecisions(w io.Writer, r *Run) error { return r.Decisions.Write(w) }

func writeText(w io.Writer, text string) error {
	_, err := io.WriteString(w, strings.TrimRight(text, "\n")+"\n")
	return err
}

func writeReport(w io.Writer, r *Run) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(&r.Report)
}
