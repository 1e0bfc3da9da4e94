// SPDX-License-Identifier: MPL-2.0

// Package decisions owns the record of what decided over goroutines in an exact run, and its text form, which an artifact
// directory keeps as decisions.txt. It must not know how a run is decided or recorded: package sched does that. Nothing in
// it keeps state; all functions may be called concurrently.
package decisions

import seam "github.com/hmdsefi/faultline/runtime"

// Log is the schedule of an exact run: every decision, in order.
type Log struct {
	Seed      uint64 // of the run
	Strategy  string // that decided
	Decisions []Decision
	Truncated bool // the run made more decisions than there was room for
}

// Decision is one of them. One of kind runtime.TimePasses has nothing but an answer.
type Decision struct {
	Kind      seam.Kind
	Answer    uint32 // for runtime.TimePasses: an encoded runtime.Pace
	Waiting   uint32 // goroutines that waited to run; unknown, 0, in a log that was read if the running goroutine went on
	Goroutine uint64 // the one that goes on: the n-th of the run, from 1; 0 is the one that started the bubble
	Place     string // "function file:line" of the user's code at which it waited; empty for a goroutine that went on
}

// Stays reports whether the running goroutine went on.
func (d Decision) Stays() bool { return d.Place == "" }
