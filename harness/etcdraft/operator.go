// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"math/rand/v2"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// operator changes the members of the cluster, moves the leadership, and switches
// servers off that were removed. It knows the cluster's state, as a person at a
// dashboard does, but acts through messages that can get lost.
type operator struct {
	*Cluster
	node *kernel.Node
	rand *rand.Rand
	used map[uint64]bool // spare servers that were members: a raft id must not join twice
}

const (
	// retireDelay is how long a removed server may go on, not knowing.
	retireDelay = 3 * time.Second

	// removals is how often the operator may remove a server, in parts per million. As
	// that is for good, it would soon have nobody left to change.
	removals = 200_000
)

func (c *Cluster) addOperator() {
	if c.config.ChangeEvery == 0 {
		return
	}
	o := &operator{Cluster: c, rand: c.world.Rand("operator"), used: map[uint64]bool{}}
	c.world.AddClient("operator", func(n *kernel.Node) {
		o.node = n
		o.wait()
	})
}

func (o *operator) wait() {
	every := o.config.ChangeEvery
	o.node.After(kernel.UniformDuration(o.rand, every/2, every+every/2), func() {
		o.act()
		o.wait()
	})
}

func (o *operator) act() {
	o.retireRemoved()
	leader := o.leader()
	if leader == nil {
		return
	}
	conf := leader.replica.conf
	switch {
	case joint(conf):
		o.leaveJoint(leader, conf)
	case o.world.Sim.Now() < o.quiet()-kernel.Time(3*time.Second):
		choices := o.choices(leader, conf)
		if len(choices) > 0 {
			o.send(leader, choices[kernel.Uniform(o.rand, 0, int64(len(choices)-1))])
		}
	}
}

func (o *operator) send(to *server, what order) { o.world.Net.Send(o.node, to.node.ID(), what) }

// leaveJoint ends a joint configuration that raft does not end by itself.
func (o *operator) leaveJoint(leader *server, conf *pb.ConfState) {
	if !conf.GetAutoLeave() {
		o.send(leader, order{text: "leave joint", change: &pb.ConfChangeV2{}})
	}
}

// retireRemoved switches off, after a while, the servers that were members and are
// no more.
func (o *operator) retireRemoved() {
	for _, s := range o.servers {
		if belongs(o.audit.members(), s.id) {
			o.used[s.id] = true
		} else if o.used[s.id] && !s.retired {
			s := s
			o.node.After(retireDelay, func() {
				if !s.retired {
					s.retire()
				}
			})
		}
	}
}

// choices returns what may be done now. At least as many servers as at first keep
// a vote.
func (o *operator) choices(leader *server, conf *pb.ConfState) []order {
	var list []order
	voters, learners := conf.GetVoters(), conf.GetLearners()
	final := kernel.Chance(o.rand, removals)
	for _, s := range o.servers {
		if !s.voter && !o.used[s.id] && !belongs(conf, s.id) {
			list = append(list, change("add learner", pb.ConfChangeTransitionAuto, learner(s.id)))
			break
		}
	}
	for _, id := range learners {
		list = append(list, change("promote", pb.ConfChangeTransitionAuto, voter(id)))
		out := voters[kernel.Uniform(o.rand, 0, int64(len(voters)-1))]
		transition := pb.ConfChangeTransition(kernel.Uniform(o.rand, 0, 2))
		list = append(list, change("exchange", transition, voter(id), learner(out)))
		if final {
			list = append(list, change("replace", transition, voter(id), remove(out)))
		}
	}
	if len(voters) > o.config.Servers {
		out := voters[kernel.Uniform(o.rand, 0, int64(len(voters)-1))]
		list = append(list, change("demote", pb.ConfChangeTransitionAuto, learner(out)))
		if final {
			list = append(list, change("remove", pb.ConfChangeTransitionAuto, remove(out)))
		}
	}
	if to := voters[kernel.Uniform(o.rand, 0, int64(len(voters)-1))]; to != leader.id {
		list = append(list, order{text: "transfer leadership", transfer: to})
	}
	return list
}

func change(what string, how pb.ConfChangeTransition, changes ...*pb.ConfChangeSingle) order {
	return order{
		text:   what + " " + pb.ConfChangesToString(changes),
		change: &pb.ConfChangeV2{Transition: how.Enum(), Changes: changes},
	}
}

func single(t pb.ConfChangeType, id uint64) *pb.ConfChangeSingle {
	return &pb.ConfChangeSingle{Type: t.Enum(), NodeId: new(id)}
}

func voter(id uint64) *pb.ConfChangeSingle   { return single(pb.ConfChangeAddNode, id) }
func learner(id uint64) *pb.ConfChangeSingle { return single(pb.ConfChangeAddLearnerNode, id) }
func remove(id uint64) *pb.ConfChangeSingle  { return single(pb.ConfChangeRemoveNode, id) }
