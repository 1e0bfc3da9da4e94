// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"fmt"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/sched"
	"github.com/hmdsefi/faultline/sched/decisions"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/history"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// outcome is what is left of an attempt.
type outcome struct {
	failure *failure
	setup   *setupError
	skipped string // why, if the attempt was skipped
	skip    bool

	hash     uint64
	events   int
	records  []kernel.Record
	count    uint64 // of records, kept or not
	end      kernel.Time
	stop     string
	marks    checkpoints
	nodes    []artifact.Node
	schedule *fault.Schedule
	planners []string
	history  []history.Op
	goals    goals

	exact     bool // nothing in the run was left to chance
	decisions uint64
	log       *decisions.Log
	followed  string // how far the run followed a recorded schedule

	leaked   []goroutine
	stall    string // the stall report
	warnings []string

	confirmation *artifact.Confirmation // of a failure
}

// outcome gathers what is left after the attempt has run.
func (a *attempt) outcome() *outcome {
	o := &outcome{
		failure: a.failure(),
		setup:   a.setup,
		hash:    a.sim.TraceHash(),
		events:  a.sim.Events(),
		records: a.sim.Records(),
		count:   a.sim.RecordCount(),
		end:     a.sim.Now(),
		marks:   a.marks,
		nodes:   describeNodes(a.sim.Nodes()),
		history: a.world.History.Ops(),
		goals:   a.goals.seen,
		exact:   a.opts.Mode == ModeEvent,
	}
	if o.failure == nil && a.tb.Skipped() {
		o.skip, o.skipped = true, a.tb.message()
	}
	if a.injector != nil {
		o.schedule, o.planners = a.injector.Schedule(), a.injector.Planners()
	}
	o.stop = a.stopReason(o)
	if a.bubble != nil {
		a.bubble.describe(o)
	}
	return o
}

func (a *attempt) stopReason(o *outcome) string {
	switch {
	case o.failure != nil:
		return "failure"
	case o.skip:
		return "skip"
	case a.limited():
		return "limit"
	case a.sim.Stopped():
		return "stop"
	}
	return "end"
}

func describeNodes(nodes []*kernel.Node) []artifact.Node {
	list := make([]artifact.Node, len(nodes))
	for i, n := range nodes {
		list[i] = artifact.Node{ID: int(n.ID()), Name: n.Name(), Tags: n.Tags(), Inc: n.Inc(), State: n.State().String()}
	}
	return list
}

// describe adds what the bubble knows.
func (b *bubble) describe(o *outcome) {
	o.exact = b.outcome.Exact
	o.decisions, o.log = b.outcome.Decisions, b.outcome.Log
	if b.a.follow != nil {
		o.followed = describeFollowed(b.a.follow, b.outcome)
	}
	o.leaked = b.leaked
	if b.outcome.Outside > 0 {
		o.warnings = append(o.warnings, fmt.Sprintf(
			"not exact: %d wake-ups came from outside the run:\n%s", b.outcome.Outside, strings.Join(b.outcome.OutsideAt, "\n")))
	}
	listed := o.failure != nil && (o.failure.kind == KindLeak || o.failure.kind == KindDeadlock) // in the message
	if len(b.leaked) > 0 && !listed {
		o.warnings = append(o.warnings, fmt.Sprintf("%d goroutines are left at the end of the run:\n%s", len(b.leaked), summarize(b.leaked)))
	}
}

// describeFollowed says how far the run followed a recorded schedule.
func describeFollowed(log *decisions.Log, out sched.Outcome) string {
	all := len(log.Decisions)
	switch u := out.Unfit; {
	case u != nil && u.Place != "":
		return fmt.Sprintf("followed %d of %d decisions; then goroutine %d was to go on at %s, but did not wait there",
			u.Decision, all, u.Goroutine, u.Place)
	case u != nil:
		return fmt.Sprintf("followed %d of %d decisions; then goroutine %d was to go on, but was not running", u.Decision, all, u.Goroutine)
	case out.Followed < all:
		return fmt.Sprintf("followed %d of %d decisions; then the run ended", out.Followed, all)
	}
	return fmt.Sprintf("followed all %d decisions", all)
}

// verdict is how the attempt ended, in a word or two.
func (o *outcome) verdict() string {
	switch {
	case o.failure != nil:
		return o.failure.signature()
	case o.skip:
		return statusSkip
	}
	return statusPass
}

// raced reports whether the race detector ended the attempt.
func (o *outcome) raced() bool { return o.failure != nil && o.failure.check == checkRace }
