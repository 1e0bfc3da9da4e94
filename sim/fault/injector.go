// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// Env is the world that faults happen in.
type Env struct {
	Sim  *kernel.Sim
	Net  *simnet.Network
	Disk *simdisk.Disk

	// Roles name groups of nodes that can change in a run, such as "leader". The
	// functions are called when a fault is chosen; the order of what they return
	// does not matter.
	Roles map[string]func() []*kernel.Node
}

// The kinds of the injector's trace records: this prefix and the kind of the
// fault, or KindNoEffect.
const (
	recordPrefix             = "fault."
	KindNoEffect kernel.Kind = "fault.no-effect" // the fault before it changed nothing, and why
)

// IsRecord reports whether records of a kind are those of the injector.
func IsRecord(k kernel.Kind) bool { return strings.HasPrefix(string(k), recordPrefix) }

// Injector applies the faults of a run and keeps its schedule. Each fault is an
// event of its own at the front of its instant. Its record becomes the cause of
// what the fault does; the cause of an undo is the fault that it ends.
type Injector struct {
	env      Env
	end      time.Duration
	planners []*Control
	started  bool

	schedule Schedule
	lastID   int
	records  map[int]uint64 // event id to the sequence number of its record
	open     []*ongoing     // faults that something can still end, oldest first
}

// ongoing is a fault that was applied and not ended.
type ongoing struct {
	event Event
	by    *Control
	undo  Event
	timer kernel.Timer // of the undo; zero if nothing is due
	links []linkID     // that the fault holds cut
}

// linkID names one direction between two nodes.
type linkID struct{ from, to kernel.NodeID }

// NewInjector returns an injector for a run that is to end at the given time.
func NewInjector(env Env, end kernel.Time) *Injector {
	return &Injector{
		env:      env,
		end:      end.Sub(0),
		schedule: Schedule{End: end.Sub(0)},
		records:  map[int]uint64{},
	}
}

// Plan adds planners. A name that is taken gets a number, so that each planner
// has a random stream of its own.
func (i *Injector) Plan(planners ...Planner) {
	for _, p := range planners {
		name, n := p.Name(), 1
		for slices.ContainsFunc(i.planners, func(c *Control) bool { return c.name == name }) {
			n++
			name = p.Name() + "-" + strconv.Itoa(n)
		}
		i.planners = append(i.planners, &Control{inj: i, name: name, planner: p})
	}
}

// Planners returns the names of the planners in the order of Plan.
func (i *Injector) Planners() []string {
	names := make([]string, len(i.planners))
	for j, c := range i.planners {
		names[j] = c.name
	}
	return names
}

// Start lets the planners begin. Call it once, when the nodes exist and
// kernel.Sim.Start has queued their boots, which then come before faults at time
// 0. The error names the planner and what it does not accept.
func (i *Injector) Start() error {
	if i.started {
		return fmt.Errorf("fault: Start was called twice")
	}
	i.started = true
	for _, c := range i.planners {
		if err := c.planner.Plan(c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// Schedule returns a copy of what was applied so far.
func (i *Injector) Schedule() *Schedule {
	s := i.schedule
	s.Idle = slices.Clone(s.Idle)
	s.Events = slices.Clone(s.Events)
	return &s
}

// at queues fn at the front of the instant t, with no cause.
func (i *Injector) at(t time.Duration, fn func()) kernel.Timer {
	outer := i.env.Sim.Cause()
	i.env.Sim.SetCause(0)
	defer i.env.Sim.SetCause(outer)
	return i.env.Sim.AtFront(kernel.Time(t), fn)
}

func (i *Injector) now() time.Duration { return i.env.Sim.Now().Sub(0) }

// apply makes e happen now. An event that does not fit the run fails it.
func (i *Injector) apply(by *Control, e Event) {
	e.At = i.now()
	if e.ID == 0 {
		e.ID = i.lastID + 1
	}
	s, err := i.checkIn(&e)
	if err != nil {
		i.env.Sim.Fail(err)
		return
	}
	i.lastID = max(i.lastID, e.ID)
	o := i.before(by, s, e)
	e.For = 0
	i.schedule.Events = append(i.schedule.Events, e)
	i.records[e.ID] = i.record(&e)
	if err := s.apply(i, &e); err != nil {
		i.env.Sim.Emit(i.node(e.Node), KindNoEffect, err.Error())
		i.close(func(o *ongoing) bool { return o.event.ID == e.Undoes })
		return
	}
	i.close(func(o *ongoing) bool { return ended(o, s, &e) })
	if o != nil {
		i.keep(o)
	}
}

// checkIn returns what is wrong with e in this run.
func (i *Injector) checkIn(e *Event) (*spec, error) {
	name, err := e.check()
	if err == nil {
		name, err = i.checkNodes(e)
	}
	if err != nil {
		return nil, &EventError{ID: e.ID, At: e.At, Kind: e.Kind, Field: name, Err: err}
	}
	return lookup(e.Kind)
}

func (i *Injector) checkNodes(e *Event) (fieldName string, err error) {
	check := func(f field, names ...string) {
		for _, name := range names {
			if err == nil && name != "" && i.node(name) == nil {
				fieldName, err = f.name, fmt.Errorf("names %q, and the run has no such node", name)
			}
		}
	}
	check(nodeField, e.Node)
	check(fromField, e.From)
	check(toField, e.To)
	for _, group := range e.Groups {
		check(groupsField, group...)
	}
	return fieldName, err
}

// record emits the record of e and makes it the cause of what follows.
func (i *Injector) record(e *Event) uint64 {
	attrs := []kernel.Attr{{Key: "id", Value: strconv.Itoa(e.ID)}}
	if e.Undoes != 0 {
		attrs = append(attrs, kernel.Attr{Key: "undoes", Value: strconv.Itoa(e.Undoes)})
	}
	i.env.Sim.SetCause(i.records[e.Undoes])
	return i.env.Sim.Begin(i.node(e.Node), kernel.Kind(recordPrefix+e.Kind), e.detail(), attrs...)
}
