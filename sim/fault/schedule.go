// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Version is the version of the schedule format that Write writes and the newest
// one that ReadSchedule accepts.
const Version = 1

// Schedule is the complete record of the faults of a run.
type Schedule struct {
	// End is the virtual time at which the run was to end, and Recovery the time
	// from which planners only mend; 0 if no planner had such a time.
	End      time.Duration
	Recovery time.Duration

	// Idle holds the times at which a planner looked at the run and left it
	// alone. Such a look is an event of the run, so a replay repeats it to keep
	// the count. A schedule made by hand needs none.
	Idle []time.Duration

	// Events are the faults in the order in which they were applied. None has For
	// set: the end of a fault is an event of its own.
	Events []Event
}

// Check returns an *EventError for the first event that is wrong in itself or in
// its place, or an error about the rest of s. It does not know the nodes of a
// run.
func (s *Schedule) Check() error {
	if err := s.checkTimes(); err != nil {
		return err
	}
	ids := []int{0} // rising; a map would draw a seed from the runtime, and a replay in an exact run must draw what the planners did
	last := time.Duration(0)
	for i := range s.Events {
		e := &s.Events[i]
		name, err := e.check()
		place, known := slices.BinarySearch(ids, e.ID)
		_, undoesKnown := slices.BinarySearch(ids, e.Undoes)
		switch {
		case err != nil:
		case e.ID < 1 || known:
			name, err = "id", fmt.Errorf("is %d, want a number from 1 that no earlier event has", e.ID)
		case e.At < last:
			name, err = "at", fmt.Errorf("is %v, but the event before it is at %v", e.At, last)
		case e.For != 0:
			name, err = "for", errors.New("is no field of a schedule, where the end of a fault is an event of its own")
		case !undoesKnown:
			name, err = "undoes", fmt.Errorf("is %d, and no earlier event has that id", e.Undoes)
		}
		if err != nil {
			return &EventError{Index: i, ID: e.ID, At: e.At, Kind: e.Kind, Field: name, Err: err}
		}
		ids, last = slices.Insert(ids, place, e.ID), e.At
	}
	return nil
}

func (s *Schedule) checkTimes() error {
	switch {
	case s.End < 0:
		return fmt.Errorf("fault: schedule field %q: is %v, want 0 or more", "end", s.End)
	case s.Recovery < 0:
		return fmt.Errorf("fault: schedule field %q: is %v, want 0 or more", "recovery", s.Recovery)
	}
	last := time.Duration(0)
	for _, at := range s.Idle {
		if at < last {
			return fmt.Errorf("fault: schedule field %q: %v stands behind %v, want rising times from 0", "idle", at, last)
		}
		last = at
	}
	return nil
}
