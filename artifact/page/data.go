// SPDX-License-Identifier: MPL-2.0

package page

// Data is what a page shows. Times are in nanoseconds of virtual time.
type Data struct {
	Head       Head        `json:"head"`
	Nodes      []string    `json:"nodes"` // by id; the first has id 1
	Strings    []string    `json:"strings"`
	Records    Records     `json:"records"`
	Operations []Operation `json:"operations,omitempty"`
	Turns      *Turns      `json:"turns,omitempty"`
}

// Head says what the run was and how it ended.
type Head struct {
	Title    string `json:"title"`
	Status   string `json:"status"` // pass or fail
	Headline string `json:"headline"`
	Message  string `json:"message,omitempty"`
	Stack    string `json:"stack,omitempty"`
	Facts    []Fact `json:"facts"`

	Failure  int   `json:"failure"`  // index of the record of the failure, or -1
	FailedAt int64 `json:"failedAt"` // -1 if the run passed
	End      int64 `json:"end"`
	Recovery int64 `json:"recovery,omitempty"` // when planners stopped to make faults; 0 if never
}

// Fact is a line of the head, such as the command that replays the seed.
type Fact struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Records are the columns of the trace. A string is an index into Data.Strings.
type Records struct {
	Seq   []int64 `json:"seq"` // each the difference from the one before
	At    []int64 `json:"at"`  // each the difference from the one before
	Node  []int   `json:"node"`
	Inc   []int   `json:"inc"`
	Kind  []int   `json:"kind"`
	Cause []int   `json:"cause"` // how many records back; 0 for none, -1 for one that was not kept
	Text  []int   `json:"text"`
	Attrs [][]int `json:"attrs"` // names and values by turns
}

// Operation is what a client asked for and got.
type Operation struct {
	ID      int    `json:"id"`
	Process string `json:"process"`
	F       string `json:"f"`
	Status  string `json:"status"` // ok, fail, info or pending
	Call    int64  `json:"call"`
	Return  int64  `json:"return"` // while pending, the end of the run
	Input   string `json:"input,omitempty"`
	Output  string `json:"output,omitempty"`
}

// Turns are the columns of the decisions at which the token moved to another
// goroutine. A string is an index into Data.Strings.
type Turns struct {
	Goroutine []uint64 `json:"goroutine"`
	Place     []int    `json:"place"`   // where it had waited
	Waiting   []int    `json:"waiting"` // how many could have gone on instead, itself included
	Stays     []int    `json:"stays"`   // decisions at which it then went on
	First     int      `json:"first"`   // decisions before the first turn
	Omitted   int      `json:"omitted"` // turns before the first one
}
