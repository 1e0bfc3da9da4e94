// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"time"

	"go.etcd.io/raft/v3"

	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// ambush is a planner whose faults wait for a server to take a step that others
// must still hear of: it becomes a candidate or the leader, or it leads and enters a
// joint configuration. Faults at random times seldom hit the milliseconds that
// such a step takes.
type ambush struct {
	maxDown int
	until   time.Duration
	control *fault.Control // nil when planners are off
}

const (
	ambushChance = 250_000              // of a step to be one, in parts per million
	ambushDelay  = 3 * time.Millisecond // the most between the step and the fault
)

// stage is where a server is on its way through an election and a change of members.
type stage struct {
	state raft.StateType
	joint bool
}

func (c *Cluster) addAmbush() {
	if !c.config.Ambush {
		return
	}
	c.ambush = &ambush{maxDown: (c.config.Servers - 1) / 2, until: time.Duration(c.recovered())}
	c.world.Plan(c.ambush)
}

func (*ambush) Name() string { return "ambush" }

func (a *ambush) Plan(c *fault.Control) error {
	a.control = c
	c.Recover(a.until)
	return nil
}

// seen is called when a server has done something.
func (a *ambush) seen(r *replica) {
	if a == nil || a.control == nil {
		return
	}
	now := stage{r.raw.BasicStatus().RaftState, joint(r.conf)}
	before := r.stage
	r.stage = now
	if now.vital(before) && a.control.Now() < a.until-ambushDelay && kernel.Chance(a.control.Rand(), ambushChance) {
		a.strike(r.node)
	}
}

// vital reports whether the step that led from before to now is worth an ambush.
func (now stage) vital(before stage) bool {
	leads := now.state == raft.StateLeader
	return now.state != before.state && (leads || now.state == raft.StateCandidate) || leads && now.joint && !before.joint
}

// strike crashes the node or cuts it off in a moment. The moment is never this one:
// a replayed schedule puts its faults in front of what else happens at their time.
func (a *ambush) strike(n *kernel.Node) {
	r := a.control.Rand()
	e := fault.Event{
		Kind: fault.KindCrash,
		Node: n.Name(),
		For:  kernel.UniformDuration(r, 50*time.Millisecond, 4*time.Second),
	}
	if kernel.Chance(r, 500_000) {
		e.Kind = fault.KindIsolate
	}
	a.control.Wake(a.control.Now()+kernel.UniformDuration(r, 1, ambushDelay), func() (fault.Event, bool) {
		e.At = a.control.Now()
		return e, n.State() == kernel.Up && (e.Kind != fault.KindCrash || a.control.Down() < a.maxDown)
	})
}
