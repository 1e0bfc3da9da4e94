// SPDX-License-Identifier: MPL-2.0

// Package history records what clients asked of the system under test and what
// came back, for checks such as linearizability, and reads and writes it as JSON
// lines.
//
// It owns the operations and their file format. It knows nothing of the system,
// of the network or of any checker.
package history

import (
	"fmt"
	"slices"
	"sync"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// Status says how an operation ended.
type Status string

// The states of an operation.
const (
	Pending Status = "pending" // not complete when the run ended
	OK      Status = "ok"      // took effect, with this output
	Fail    Status = "fail"    // surely took no effect
	Info    Status = "info"    // may have taken effect, or may yet: a timeout, a broken connection
)

// complete reports whether s is one of the states in which an operation ends.
func (s Status) complete() bool { return s == OK || s == Fail || s == Info }

// Op is one operation of a client.
type Op struct {
	ID      int    // 1 for the first operation invoked, and so on
	Process string // the client that waits for it
	F       string // what is asked, such as "put"
	Status  Status

	Call   kernel.Time
	Return kernel.Time // 0 while pending

	// CallIndex and ReturnIndex number the invocations and completions of a
	// history together from 1, which orders those of one instant. ReturnIndex is 0
	// while pending.
	CallIndex   int
	ReturnIndex int

	// Input and Output are the values that the client gave, or a json.RawMessage
	// each when the history was read; nil when there is none. They must be fit for
	// encoding/json, and must not be changed once given.
	Input  any
	Output any
}

// History is the record of one run. Its methods may be called from several
// goroutines at once.
type History struct {
	now func() kernel.Time

	mu    sync.Mutex
	ops   []Op
	index int // the last CallIndex or ReturnIndex
}

// New returns an empty history that takes the time from now, such as
// [kernel.Sim.Now].
func New(now func() kernel.Time) *History { return &History{now: now} }

// Invoke records that process asks for f with input, and returns the operation's
// id. The operation is pending until Complete.
func (h *History) Invoke(process, f string, input any) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.index++
	h.ops = append(h.ops, Op{
		ID:        len(h.ops) + 1,
		Process:   process,
		F:         f,
		Status:    Pending,
		Call:      h.now(),
		CallIndex: h.index,
		Input:     input,
	})
	return len(h.ops)
}

// Complete records how the operation of that id ended: OK, Fail or Info. It
// panics if there is no such operation, it is complete already, or the status is
// another: the test would check a history that never was.
func (h *History) Complete(id int, status Status, output any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if id < 1 || id > len(h.ops) {
		panic(fmt.Sprintf("history: Complete(%d): the operations are 1 to %d", id, len(h.ops)))
	}
	op := &h.ops[id-1]
	if op.Status != Pending {
		panic(fmt.Sprintf("history: Complete(%d): the operation is complete with status %q", id, op.Status))
	}
	if !status.complete() {
		panic(fmt.Sprintf("history: Complete(%d): status %q: ok, fail or info is accepted", id, status))
	}
	h.index++
	op.Status, op.Output, op.Return, op.ReturnIndex = status, output, h.now(), h.index
}

// Ops returns the operations so far in the order of their invocation.
func (h *History) Ops() []Op {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.ops)
}
