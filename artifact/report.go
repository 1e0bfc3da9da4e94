// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// ReportVersion is the version of report.json that this package writes and the
// newest that it reads.
const ReportVersion = 1

// Status is how a run ended.
type Status string

// The states of a run.
const (
	Pass Status = "pass"
	Fail Status = "fail"
)

// Levels of determinism.
const (
	Exact      = "exact"
	BestEffort = "best-effort"
)

// Report is report.json: what a person or a script wants to know first. Fields
// that are empty are left out of the file, except those that every run has.
type Report struct {
	Version int    `json:"faultline_report"`
	Status  Status `json:"status"`

	Package    string `json:"package"`             // import path of the test
	Test       string `json:"test"`                // name of the test that called Run
	Subtest    string `json:"subtest"`             // name of the seed's subtest below it
	Seed       Hex64  `json:"seed"`                // of this run
	SeedSource string `json:"seed_source"`         // where it came from, such as "test name"
	SeedIndex  int    `json:"seed_index"`          // place in the list of seeds, from 0
	BaseSeed   Hex64  `json:"base_seed,omitempty"` // that the list derives from
	Mode       string `json:"mode"`                // "event" or "goroutine"

	Failure  *Failure `json:"failure,omitempty"` // nil if the run passed
	Warnings []string `json:"warnings,omitempty"`

	// Replay is the command that runs the seed again.
	Replay string `json:"replay"`

	// Confirmation is nil if the run passed.
	Confirmation *Confirmation `json:"confirmation,omitempty"`

	DeterminismLevel string `json:"determinism_level"`       // Exact or BestEffort
	ExactBackend     string `json:"exact_backend,omitempty"` // "toolexec", or empty

	Versions    Versions        `json:"versions"`
	Options     json.RawMessage `json:"options,omitempty"` // a JSON object
	OptionsHash Hex64           `json:"options_hash"`

	Run   Stats    `json:"run"`
	Nodes []Node   `json:"nodes"`
	Files []string `json:"files"` // names, sorted; Write fills them in
}

// Failure says what went wrong.
type Failure struct {
	Kind    string `json:"kind"`            // invariant, final, panic, fail, limit, determinism, deadlock, leak, setup or stall
	Check   string `json:"check,omitempty"` // name of the invariant or final check
	Message string `json:"message"`         // may have several lines

	// Headline is the first line of the report; empty means one from the other
	// fields.
	Headline string `json:"headline,omitempty"`

	Stack string `json:"stack,omitempty"` // of a panic, whole

	AtNS  int64  `json:"at_ns"` // virtual time
	At    string `json:"at"`    // the same, such as "5.873034010s"; Write fills it in
	Event int    `json:"event"` // number of the event, from 1

	// Record is the sequence number of the trace record of the failure, or 0 if
	// the trace has none.
	Record uint64 `json:"record,omitempty"`

	Signature string `json:"signature"` // "kind:check"; Write fills it in
}

// Confirmation says what became of a failing seed in a fresh process, before its
// replay line was printed.
type Confirmation struct {
	Replay string `json:"replay"`           // Verified, NotVerified or NotTried
	Detail string `json:"detail,omitempty"` // why it is not Verified
}

// Outcomes of a confirmation.
const (
	Verified    = "verified"     // the seed failed there in the same way, at the same event of the same run
	NotVerified = "not verified" // it did not
	NotTried    = "not tried"
)

// String returns the confirmation in words.
func (c *Confirmation) String() string {
	if c.Replay == Verified {
		return "replay verified in a fresh process"
	}
	return "replay " + c.Replay + ": " + c.Detail
}

// Versions says what the run was built from.
type Versions struct {
	Faultline  string `json:"faultline"`
	Go         string `json:"go"`
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	BinaryHash string `json:"binary_hash,omitempty"`
}

// Stats are the figures of a run.
type Stats struct {
	TraceHash Hex64    `json:"trace_hash"`
	Events    int      `json:"events"`
	Records   uint64   `json:"records"`           // that were emitted
	Dropped   uint64   `json:"dropped,omitempty"` // of them, those that trace.jsonl lacks
	EndNS     int64    `json:"end_ns"`            // virtual time at which the run ended
	End       string   `json:"end"`               // the same in words; Write fills it in
	Stop      string   `json:"stop"`              // why it ended, such as "end" or "failure"
	Planners  []string `json:"planners,omitempty"`
	Attempts  int      `json:"attempts"`            // runs of the seed, the recorded one included
	Decisions uint64   `json:"decisions,omitempty"` // over goroutines, in an exact run
}

// Node is one node of the run.
type Node struct {
	ID    int      `json:"id"` // as in the records; 1 for the first
	Name  string   `json:"name"`
	Tags  []string `json:"tags,omitempty"`
	Inc   int      `json:"inc"`   // its last incarnation
	State string   `json:"state"` // at the end of the run
}

// Hex64 is a number that JSON holds as a string such as "0x287372ab06f1482e",
// since many readers of JSON numbers keep only 53 bits.
type Hex64 uint64

// String returns h as 0x and 16 hex digits.
func (h Hex64) String() string { return fmt.Sprintf("0x%016x", uint64(h)) }

// MarshalText implements encoding.TextMarshaler.
func (h Hex64) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hex64) UnmarshalText(text []byte) error {
	if len(text) < 3 || text[0] != '0' || text[1] != 'x' {
		return fmt.Errorf("number %q, want 0x and up to 16 hex digits", text)
	}
	v, err := strconv.ParseUint(string(text[2:]), 16, 64)
	if err != nil {
		return fmt.Errorf("number %q, want 0x and up to 16 hex digits", text)
	}
	*h = Hex64(v)
	return nil
}

// NodeNames returns the names of the nodes by id, the first has id 1. An id that
// Nodes lacks gets a number.
func (r *Report) NodeNames() []string {
	last := 0
	for _, n := range r.Nodes {
		last = max(last, n.ID)
	}
	names := make([]string, last)
	for i := range names {
		names[i] = fmt.Sprintf("#%d", i+1)
	}
	for _, n := range r.Nodes {
		if n.ID > 0 {
			names[n.ID-1] = n.Name
		}
	}
	return names
}
