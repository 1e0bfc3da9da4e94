// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"github.com/hmdsefi/faultline/gaps"
	"github.com/hmdsefi/faultline/sched/decisions"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/history"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// Run is everything that an artifact directory holds about one run of one seed.
type Run struct {
	Report   Report
	Records  []kernel.Record // the trace, oldest first; empty if it was not kept
	Schedule *fault.Schedule // nil if the run did not get as far as having one
	History  []history.Op    // client operations; without any there is no file
	Gaps     []gaps.Gap      // what the binary carries

	Goroutines string // goroutines.txt: who was left at the end, with stacks; may be empty
	Stall      string // stall.txt: the stall report; may be empty

	// Decisions is decisions.txt: which goroutine went on when; nil unless the run was exact.
	Decisions *decisions.Log

	// Extra holds more files by name, such as those of an error with
	// ArtifactFiles() map[string][]byte.
	Extra map[string][]byte
}

// Names of the files of an artifact directory.
const (
	ReportFile     = "report.json"
	ConsoleFile    = "report.txt"
	TraceFile      = "trace.jsonl"
	ScheduleFile   = "schedule.json"
	HistoryFile    = "history.jsonl"
	TimelineFile   = "timeline.txt"
	PageFile       = "timeline.html"
	DiagramFile    = "hb.mmd"
	GapsFile       = "toolexec-gaps.txt"
	GoroutinesFile = "goroutines.txt"
	StallFile      = "stall.txt"
	DecisionsFile  = "decisions.txt"
)
