// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// Random is the planner of faults at random times, on random nodes. All its
// choices come from the stream fault/random.
type Random struct {
	// MaxDown is the most servers that may be down or paused at one time, whoever
	// brought them down: a crash or pause beyond it is left out. 0 means a minority
	// of the servers, negative means that none may be. Nodes that a partition cuts
	// off do not count.
	MaxDown int

	// MaxDamaged is the most servers whose volumes may hold damage at one time, so that
	// enough whole copies are left to recover from: a fault of kind corrupt or
	// misdirect-write that would damage one more is left out. 0 means a minority of
	// the servers, negative means that all may. Damage counts until it is written over
	// and synced, see simdisk.Volume.Damaged.
	MaxDamaged int

	// Swarm turns only some of the rules on in each run, drawn from the seed, at
	// least one. Runs with few kinds of faults reach states that runs with all kinds
	// never do, because the one fault keeps the other from having its effect.
	Swarm bool

	// Rules say which faults happen. Each draws on its own.
	Rules []Rule

	// Recovery is the length of the window at the end of the run in which no
	// fault begins; at its start all faults of this planner end. 0 means the last
	// quarter of the run, negative means no such window.
	Recovery time.Duration

	// Core makes the recovery window a test of liveness: only so many servers, drawn
	// from the seed, and the nodes that are no servers are mended. Every other server
	// is crashed, paused or cut off and stays so to the end, and the test should want
	// the core to go on without it. 0 means that all are mended.
	Core int
}

// Rule is one kind of fault that happens again and again.
type Rule struct {
	Kind Kind // not one that only ends faults

	// Every is the mean virtual time from one fault of the rule to the next, and
	// Spacing says how single ones differ from it.
	Every   time.Duration
	Spacing Spacing

	// MinFor and MaxFor bound how long a fault lasts. A MaxFor of 0 means MinFor;
	// both 0 means until the recovery window.
	MinFor, MaxFor time.Duration

	// Role names the nodes that the fault can hit, see Control.Nodes. Empty means
	// the servers.
	Role string

	// Magnitude is how bad it gets at most. 0 means the default.
	//
	//	link           messages lost, in ppm           100,000
	//	clock-jump     nanoseconds, forward or back    1 s
	//	clock-drift    ppm, faster or slower           10,000
	//	sync-fail      syncs                           1
	//	disk-capacity  bytes left on the volume        4,096
	//	corrupt        bytes damaged                   1
	//	misdirect-*    reads or writes                 1
	//
	// The other kinds take none.
	Magnitude int64

	// Link is the behaviour that a fault of kind link gives. The zero value takes
	// the present one, with latency and jitter times ten and Magnitude as its loss.
	Link simnet.LinkConfig
}

// Spacing says how the times between the faults of a rule are spread.
type Spacing uint8

// The spacings.
const (
	Exponential Spacing = iota // as of independent accidents: mostly short, some long
	Uniform                    // from half of Every to one and a half
)

// Name returns "random".
func (Random) Name() string { return "random" }

// Plan implements [Planner].
func (r Random) Plan(c *Control) error {
	if err := r.check(c); err != nil {
		return err
	}
	until := c.End()
	if window := r.window(c.End()); window > 0 {
		until -= window
		if r.Core > 0 {
			c.recoverCore(until, r.Core)
		} else {
			c.Recover(until)
		}
	}
	on := r.swarm(c)
	for i := range r.Rules {
		g := &generator{
			Rule:    r.Rules[i],
			choose:  choices[r.Rules[i].Kind],
			control: c,
			rand:    rand.New(rand.NewPCG(c.Rand().Uint64(), c.Rand().Uint64())),
			maxDown: r.maxDown(c),
			suspect: r.maxDamaged(c),
			until:   until,
		}
		if on[i] {
			g.next(0)
		}
	}
	return nil
}

// swarm returns which rules are on in this run. It has a stream of its own, so that
// a rule that is on does the same with and without Swarm.
func (r Random) swarm(c *Control) []bool {
	on := make([]bool, len(r.Rules))
	some := !r.Swarm
	draw := c.inj.env.Sim.Rand("fault/" + c.name + "/swarm")
	for i := range on {
		on[i] = !r.Swarm || kernel.Chance(draw, 500_000)
		some = some || on[i]
	}
	if !some && len(on) > 0 {
		on[kernel.Uniform(draw, 0, int64(len(on)-1))] = true
	}
	return on
}

func (r Random) window(end time.Duration) time.Duration {
	if r.Recovery == 0 {
		return end / 4
	}
	return r.Recovery
}

func (r Random) maxDown(c *Control) int {
	if r.MaxDown == 0 {
		return minority(c)
	}
	return max(0, r.MaxDown)
}

func (r Random) maxDamaged(c *Control) int {
	switch {
	case r.MaxDamaged == 0:
		return minority(c)
	case r.MaxDamaged < 0:
		return math.MaxInt
	}
	return r.MaxDamaged
}

// minority returns how many servers can be missed.
func minority(c *Control) int { return max(0, (len(c.Nodes(kernel.TagServer))-1)/2) }

func (r Random) check(c *Control) error {
	switch {
	case c.End() <= 0:
		return errors.New("fault: Random needs a run with an end")
	case r.Recovery > c.End():
		return fmt.Errorf("fault: Random.Recovery is %v, want at most the %v of the run", r.Recovery, c.End())
	case r.Core < 0 || r.Core > len(c.Nodes(kernel.TagServer)):
		return fmt.Errorf("fault: Random.Core is %d, want 0 to the %d servers", r.Core, len(c.Nodes(kernel.TagServer)))
	case r.Core > 0 && r.Recovery < 0:
		return errors.New("fault: Random.Core needs a recovery window, and Random.Recovery is negative")
	}
	for i := range r.Rules {
		if name, err := r.Rules[i].check(c); err != nil {
			return fmt.Errorf("fault: Random.Rules[%d].%s (%s): %w", i, name, r.Rules[i].Kind, err)
		}
	}
	return nil
}

func (r *Rule) check(c *Control) (fieldName string, err error) {
	choice, ok := choices[r.Kind]
	if !ok {
		return "Kind", fmt.Errorf("is %q, want one of %s", r.Kind, join(ruleKinds()))
	}
	s, err := lookup(r.Kind)
	if err != nil {
		return "Kind", err
	}
	switch {
	case r.Every <= 0:
		return "Every", fmt.Errorf("is %v, want more than 0", r.Every)
	case r.Spacing > Uniform:
		return "Spacing", fmt.Errorf("is %d, want Exponential or Uniform", r.Spacing)
	case r.MinFor < 0:
		return "MinFor", fmt.Errorf("is %v, want 0 or more", r.MinFor)
	case r.MaxFor < 0 || r.MaxFor > 0 && r.MaxFor < r.MinFor:
		return "MaxFor", fmt.Errorf("is %v, want 0 or at least the MinFor of %v", r.MaxFor, r.MinFor)
	case s.undo == nil && (r.MinFor > 0 || r.MaxFor > 0):
		return "MinFor", errors.New("must be 0, as nothing ends this fault")
	case r.Magnitude < 0 || r.Magnitude > choice.most:
		return "Magnitude", fmt.Errorf("is %d, want 0 to %d", r.Magnitude, choice.most)
	case r.Link != (simnet.LinkConfig{}) && r.Kind != KindLink:
		return "Link", errors.New("is only for kind link")
	}
	if err := r.Link.Validate(); err != nil {
		return "Link", err
	}
	return "Role", c.checkRole(r.Role)
}

// generator produces the faults of one rule.
type generator struct {
	Rule
	choose  choice
	control *Control
	rand    *rand.Rand
	maxDown int
	suspect int // most servers that may hold damage
	until   time.Duration
}

// next queues the fault after one at the given time.
func (g *generator) next(after time.Duration) {
	at := after + max(1, g.gap())
	if at < after || at >= g.until {
		return
	}
	g.control.Wake(at, func() (Event, bool) {
		g.next(at)
		e, ok := g.choose.fault(g)
		e.Kind, e.For = g.Kind, g.duration()
		return e, ok
	})
}

func (g *generator) gap() time.Duration {
	if g.Spacing == Uniform {
		return kernel.UniformDuration(g.rand, g.Every-g.Every/2, g.Every+g.Every/2)
	}
	return exponential(g.rand.Uint64(), g.Every)
}

func (g *generator) duration() time.Duration {
	if g.MaxFor <= g.MinFor {
		return g.MinFor
	}
	return kernel.UniformDuration(g.rand, g.MinFor, g.MaxFor)
}

// magnitude draws from 1 to the rule's magnitude.
func (g *generator) magnitude() int64 {
	return kernel.Uniform(g.rand, 1, g.worst())
}

// worst returns the rule's magnitude.
func (g *generator) worst() int64 {
	if g.Magnitude == 0 {
		return g.choose.usual
	}
	return g.Magnitude
}
