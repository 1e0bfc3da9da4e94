// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/sim/simnet"
)

// Event is one fault. Which of the fields after For it has depends on its kind;
// the others must be zero.
type Event struct {
	// ID numbers the events of a run from 1, in the order in which they were
	// applied. The injector assigns it.
	ID int

	// At is the virtual time of the fault, from the start of the run.
	At time.Duration

	Kind Kind

	// For ends the fault after so much virtual time with the event that undoes
	// it. 0 lets it stay. The schedule holds the two as separate events.
	For time.Duration

	// Undoes is the ID of the earlier event that this one ends, or 0.
	Undoes int

	Node     string        // name of the node
	From, To string        // names of the two ends of a directed link
	Groups   [][]string    // names of the nodes on each side; nodes in no group reach all
	By       time.Duration // how far the clock jumps; negative is back
	PPM      int64         // how much faster the clock runs, in parts per million
	Count    int           // number of operations; -1 means all
	Bytes    int64         // size in bytes
	Path     string        // absolute path on the node's volume
	Offset   int64         // first byte
	Length   int64         // number of bytes
	Link     simnet.LinkConfig
}

// EventError says which event of a list is wrong, and where.
type EventError struct {
	Index int // place in the list, from 0
	ID    int // the event's ID, 0 if it has none
	At    time.Duration
	Kind  Kind   // empty if it is not known
	Field string // name of the field as a schedule spells it; empty if the event as a whole is meant
	Err   error
}

// Error names the event by its ID, or by its place when it has none.
func (e *EventError) Error() string {
	text := fmt.Sprintf("fault: event #%d of the list", e.Index+1)
	if e.ID != 0 {
		text = fmt.Sprintf("fault: event %d", e.ID)
	}
	if e.Kind != "" {
		text += fmt.Sprintf(" (%s at %v)", e.Kind, e.At)
	}
	if e.Field != "" {
		text += fmt.Sprintf(", field %q", e.Field)
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *EventError) Unwrap() error { return e.Err }

// check returns what is wrong with the content of e, without looking at a run.
func (e *Event) check() (fieldName string, err error) {
	s, err := lookup(e.Kind)
	if err != nil {
		return "kind", err
	}
	switch {
	case e.At < 0:
		return "at", errors.New("is before the start of the run")
	case e.For < 0:
		return "for", errors.New("is negative, want 0 or a duration")
	case e.For > 0 && s.undo == nil:
		return "for", fmt.Errorf("a fault of kind %s has no end", e.Kind)
	}
	for i := range allFields {
		f := &allFields[i]
		if !s.has(f.name) && !f.value(e).IsZero() {
			return f.name, fmt.Errorf("is not a field of kind %s, want %s", e.Kind, s.fieldNames())
		}
	}
	for i := range s.fields {
		if f := &s.fields[i]; f.check != nil {
			if err := f.check(e); err != nil {
				return f.name, err
			}
		}
	}
	return "", nil
}

// detail describes the target and the values of e for the trace.
func (e *Event) detail() string {
	s, err := lookup(e.Kind)
	if err != nil {
		return ""
	}
	var parts []string
	for i := range s.fields {
		f := &s.fields[i]
		if text := f.text(e); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}
