// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// Planner decides on the faults of a run.
type Planner interface {
	// Name names the planner in reports and in its random stream, fault/<name>.
	Name() string

	// Plan is called once, before the first event of the run. It sets up what the
	// planner wants to happen and refuses settings that it does not accept.
	Plan(c *Control) error
}

// Control is what a planner works with.
type Control struct {
	inj     *Injector
	name    string
	planner Planner
}

// Rand returns the planner's random stream.
func (c *Control) Rand() *rand.Rand { return c.inj.env.Sim.Rand("fault/" + c.name) }

// Env returns the world that the faults happen in.
func (c *Control) Env() Env { return c.inj.env }

// Now returns the virtual time.
func (c *Control) Now() time.Duration { return c.inj.now() }

// End returns the virtual time at which the run is to end.
func (c *Control) End() time.Duration { return c.inj.end }

// Schedule makes e happen at e.At.
func (c *Control) Schedule(e Event) {
	c.inj.at(e.At, func() { c.inj.apply(c, e) })
}

// Wake calls fn at the given time. fn looks at the run and may return a fault,
// which happens at once; it must not change the run itself.
func (c *Control) Wake(at time.Duration, fn func() (Event, bool)) {
	c.inj.at(at, func() {
		if e, ok := fn(); ok {
			c.inj.apply(c, e)
		} else {
			c.inj.idle()
		}
	})
}

// Recover ends at the given time all faults of this planner that can be ended and
// still are on. It is noted as the start of the recovery window.
func (c *Control) Recover(at time.Duration) {
	c.noteRecovery(at)
	c.inj.at(at, func() {
		c.inj.idle()
		c.inj.mend(c)
	})
}

func (c *Control) noteRecovery(at time.Duration) {
	if s := &c.inj.schedule; s.Recovery == 0 || at < s.Recovery {
		s.Recovery = at
	}
}

// idle notes an event of the run that applied no fault.
func (i *Injector) idle() { i.schedule.Idle = append(i.schedule.Idle, i.now()) }

// AllNodes is the role of every node.
const AllNodes = "all"

// Nodes returns the nodes of a role, by their IDs: those that Env.Roles gives for
// the name, else those with a tag of that name. The empty role means the servers.
func (c *Control) Nodes(role string) []*kernel.Node {
	if fn := c.inj.env.Roles[role]; fn != nil {
		list := slices.DeleteFunc(slices.Clone(fn()), func(n *kernel.Node) bool { return n == nil })
		slices.SortFunc(list, func(a, b *kernel.Node) int { return int(a.ID() - b.ID()) })
		return slices.Compact(list)
	}
	if role == "" {
		role = kernel.TagServer
	}
	var list []*kernel.Node
	for _, n := range c.inj.env.Sim.Nodes() {
		if role == AllNodes || n.HasTag(role) {
			list = append(list, n)
		}
	}
	return list
}

// checkRole returns an error if neither Env.Roles nor a node knows the role.
func (c *Control) checkRole(role string) error {
	if role == "" || role == AllNodes || c.inj.env.Roles[role] != nil || len(c.Nodes(role)) > 0 {
		return nil
	}
	return fmt.Errorf("unknown role %q, want a name given to World.Role, a tag of a node, or %q", role, AllNodes)
}

// Down returns how many servers are down or paused.
func (c *Control) Down() int { return c.inj.down() }

// Suspect returns how many servers have a volume that holds damage, or will with its
// next write.
func (c *Control) Suspect() int {
	n := 0
	for _, node := range c.Nodes(kernel.TagServer) {
		if c.inj.env.Disk.Volume(node).Suspect() {
			n++
		}
	}
	return n
}

// Ongoing reports whether a fault of that kind is on, whoever applied it.
func (c *Control) Ongoing(k Kind) bool {
	return slices.ContainsFunc(c.inj.open, func(o *ongoing) bool { return o.event.Kind == k })
}

// None returns the planner of no faults.
func None() Planner { return none{} }

type none struct{}

func (none) Name() string        { return "none" }
func (none) Plan(*Control) error { return nil }

// Script returns the planner of exactly these faults, at their times. The nodes
// that they name must exist when they happen.
func Script(events ...Event) Planner { return script(events) }

type script []Event

func (script) Name() string { return "script" }

func (s script) Plan(c *Control) error {
	for i := range s {
		e := s[i]
		name, err := e.check()
		if err == nil && (e.ID != 0 || e.Undoes != 0) {
			name, err = "id", errors.New("ID and Undoes are the injector's to give, want 0")
		}
		if err != nil {
			return &EventError{Index: i, At: e.At, Kind: e.Kind, Field: name, Err: err}
		}
		c.Schedule(e)
	}
	return nil
}

// Replay returns the planner that repeats s event for event.
func Replay(s *Schedule) Planner { return replay{s} }

type replay struct{ schedule *Schedule }

func (replay) Name() string { return "schedule" }

func (r replay) Plan(c *Control) error {
	if err := r.schedule.Check(); err != nil {
		return err
	}
	c.inj.schedule.Recovery = r.schedule.Recovery
	for _, at := range r.schedule.Idle {
		c.Wake(at, func() (Event, bool) { return Event{}, false })
	}
	for _, e := range r.schedule.Events {
		c.Schedule(e)
	}
	return nil
}
