// SPDX-License-Identifier: MPL-2.0

package kernel

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// DefaultMaxEvents is the event limit of a [Config] that sets none.
const DefaultMaxEvents = 10_000_000

// ErrLimit is the failure of a run that wanted more than [Config].MaxEvents
// events.
var ErrLimit = errors.New("kernel: event limit reached")

// Config says what a run depends on.
type Config struct {
	Seed      uint64
	MaxEvents int  // events before the run fails with ErrLimit; 0 means DefaultMaxEvents
	Record    bool // keep all records; the trace hash is computed in any case
}

// Failure says how a run failed.
type Failure struct {
	Err   error
	At    Time
	Event int // number of the event that was running, from 1; 0 before the first
}

// Sim is one simulated run.
type Sim struct {
	seed    uint64
	max     int
	now     Time
	queue   queue
	sched   *rand.Rand
	streams map[string]*rand.Rand
	trace   trace
	hooks   hooks

	nodes   []*Node
	byName  map[string]*Node
	started bool

	events  int
	stopped bool
	failure *Failure
}

// New returns a run at virtual time 0 with no nodes and no events.
func New(c Config) *Sim {
	s := &Sim{
		seed:    c.Seed,
		max:     c.MaxEvents,
		streams: map[string]*rand.Rand{},
		byName:  map[string]*Node{},
		trace:   trace{hash: fnvOffset, keep: c.Record},
	}
	if s.max <= 0 {
		s.max = DefaultMaxEvents
	}
	s.sched = s.Rand(schedStream)
	return s
}

// Seed returns the seed of the run.
func (s *Sim) Seed() uint64 { return s.seed }

// Now returns the current virtual time.
func (s *Sim) Now() Time { return s.now }

// At schedules fn for t. Events of one instant run in an order drawn from the
// seed when they are scheduled. A t that has passed means now.
func (s *Sim) At(t Time, fn func()) Timer {
	return s.schedule(t, s.drawRank(), event{fn: fn})
}

// After schedules fn for d from now; a negative d means now.
func (s *Sim) After(d time.Duration, fn func()) Timer {
	return s.At(s.now.Add(d), fn)
}

// AtFront schedules fn for t before all events of that instant that came from At
// and After, and after earlier ones of its own kind. It draws nothing from the
// seed, so that an added or removed fault leaves the order of all else alone.
func (s *Sim) AtFront(t Time, fn func()) Timer {
	return s.schedule(t, 0, event{fn: fn})
}

// drawRank draws a place within an instant; 0 is the front.
func (s *Sim) drawRank() uint64 { return s.sched.Uint64() | 1 }

func (s *Sim) schedule(t Time, rank uint64, e event) Timer {
	e.cause = s.trace.cause
	h := s.queue.alloc(e)
	s.queue.push(max(t, s.now), rank, h.slot)
	return h
}

// Cancel takes a scheduled event back and reports whether there was one: it has
// not run, was not cancelled before, and its node has not crashed.
func (s *Sim) Cancel(t Timer) bool {
	e := s.queue.lookup(t)
	if e == nil {
		return false
	}
	if e.pos == parked {
		e.node.unpark(t.slot)
	} else {
		if e.node != nil && s.queue.heap[e.pos].rank == 0 {
			e.node.overdue--
		}
		s.queue.removeAt(int(e.pos))
	}
	s.queue.release(t.slot)
	return true
}

// Next returns the time of the next queued event, and false if there is none.
func (s *Sim) Next() (Time, bool) {
	if len(s.queue.heap) == 0 {
		return 0, false
	}
	return s.queue.heap[0].at, true
}

// Step moves the clock to the next event and runs it. It returns false, having
// done nothing, when the queue is empty or the run has stopped. An event of a
// paused node is set aside instead of run, and does not count.
func (s *Sim) Step() bool {
	if s.stopped || len(s.queue.heap) == 0 {
		return false
	}
	if s.overLimit() {
		return false
	}
	next := s.queue.pop()
	s.now = next.at
	e := s.queue.slots[next.slot]
	if e.node != nil && !e.node.admit(next) {
		return true
	}
	s.queue.release(next.slot)
	s.trace.cause = e.cause
	s.events++
	if e.fires {
		s.Begin(e.node, KindTimer, "")
	}
	e.fn()
	s.endEvent()
	return true
}

// Exec runs fn at once as an event of its own: it counts, has no cause until fn
// sets one, and is followed by the OnEvent hooks. It is for calls that come from
// outside the queue. It runs fn also beyond the event limit and after a stop,
// because its caller waits for an answer.
func (s *Sim) Exec(fn func()) {
	s.overLimit()
	outer := s.trace.cause
	s.trace.cause = 0
	s.events++
	fn()
	s.endEvent()
	s.trace.cause = outer
}

func (s *Sim) endEvent() {
	for _, fn := range s.hooks.event {
		fn()
	}
	s.trace.cause = 0
}

func (s *Sim) overLimit() bool {
	if s.events < s.max {
		return false
	}
	s.Fail(fmt.Errorf("%w: %d events", ErrLimit, s.max))
	return true
}

// Run runs events until none is left or the run stops.
func (s *Sim) Run() {
	for s.Step() {
	}
}

// RunUntil runs the events up to and including t, then sets the clock to t. If
// the run stops, the clock stays at the last event.
func (s *Sim) RunUntil(t Time) {
	for {
		next, ok := s.Next()
		if !ok || next > t {
			break
		}
		if !s.Step() {
			return
		}
	}
	if !s.stopped && t > s.now {
		s.now = t
	}
}

// RunFor runs the events of the next d of virtual time.
func (s *Sim) RunFor(d time.Duration) { s.RunUntil(s.now.Add(d)) }

// AdvanceTo moves the clock forward to t without running an event. It panics if
// that would skip an event or turn time back.
func (s *Sim) AdvanceTo(t Time) {
	if t < s.now {
		panic(fmt.Sprintf("kernel: AdvanceTo(%v): the clock stands at %v", t, s.now))
	}
	if next, ok := s.Next(); ok && t > next {
		panic(fmt.Sprintf("kernel: AdvanceTo(%v): an event is due at %v", t, next))
	}
	s.now = t
}

// Events returns how many events have run, including the running one.
func (s *Sim) Events() int { return s.events }

// Stop ends the run after the running event.
func (s *Sim) Stop() { s.stopped = true }

// Stopped reports whether the run was stopped or has failed.
func (s *Sim) Stopped() bool { return s.stopped }

// Fail records err as the failure of the run and stops it. The first failure
// wins; a nil err is ignored.
func (s *Sim) Fail(err error) {
	if err == nil || s.failure != nil {
		return
	}
	s.failure = &Failure{Err: err, At: s.now, Event: s.events}
	s.stopped = true
	s.Emit(nil, KindFail, err.Error())
}

// Failure returns how the run failed, or nil.
func (s *Sim) Failure() *Failure { return s.failure }

// Err returns the error that the run failed with, or nil.
func (s *Sim) Err() error {
	if s.failure == nil {
		return nil
	}
	return s.failure.Err
}
