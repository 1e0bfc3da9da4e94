// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"strconv"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// The roles that rules of planners can name.
const (
	roleLeader    = "leader"
	roleFollowers = "followers"
	roleVoters    = "voters"
	roleLearners  = "learners"
)

// Cluster is a raft cluster in a world.
type Cluster struct {
	world   *faultline.World
	config  Config
	servers []*server
	clients []*client
	audit   *audit
	ambush  *ambush // nil unless Config.Ambush is set
}

// New builds a cluster in w: servers n1, n2, ..., clients c1, c2, ..., the node
// operator, the faults of the preset and all checks. The world's roles leader, followers,
// voters and learners name its servers as they are when a fault is chosen.
//
// It returns an error if c is not valid, and panics where the world does, such as
// for a node name that is in use. It must be called in the body of faultline.Run;
// crypto/rand must be seeded, or raft's election timeouts differ from run to run.
func New(w *faultline.World, c Config) (*Cluster, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	cl := &Cluster{world: w, config: c.withDefaults()}
	cl.audit = newAudit(cl)
	cl.addServers()
	cl.addClients()
	cl.addOperator()
	cl.addRoles()
	cl.audit.register(w)
	w.Plan(cl.config.planner())
	w.Plan(cl.config.Planners...)
	cl.addAmbush()
	return cl, nil
}

func (c *Cluster) addServers() {
	byNode := map[*kernel.Node]*server{}
	for i := range c.config.Servers + c.config.Spares {
		s := &server{cluster: c, id: uint64(i + 1), voter: i < c.config.Servers}
		s.node = c.world.AddServer("n"+strconv.Itoa(i+1), s.boot)
		byNode[s.node] = s
		c.servers = append(c.servers, s)
	}
	c.world.Sim.OnCrash(func(n *kernel.Node) {
		if s := byNode[n]; s != nil {
			s.replica = nil
		}
	})
}

func (c *Cluster) addRoles() {
	status := func(leads bool) func() []*kernel.Node {
		return c.nodes(func(s *server) bool { return s.leads() == leads })
	}
	c.world.Role(roleLeader, status(true))
	c.world.Role(roleFollowers, status(false))
	c.world.Role(roleVoters, c.nodes(func(s *server) bool { return votes(s.replica.conf, s.id) }))
	c.world.Role(roleLearners, c.nodes(func(s *server) bool { return learns(s.replica.conf, s.id) }))
}

// nodes returns a function that returns the nodes of the running servers that suit.
func (c *Cluster) nodes(suits func(*server) bool) func() []*kernel.Node {
	return func() []*kernel.Node {
		var list []*kernel.Node
		for _, s := range c.servers {
			if s.replica != nil && suits(s) {
				list = append(list, s.node)
			}
		}
		return list
	}
}

// leads reports whether the server runs and takes itself for the leader.
func (s *server) leads() bool {
	return s.replica != nil && s.replica.raw.BasicStatus().RaftState == raft.StateLeader
}

// server returns the server of a raft id, or nil.
func (c *Cluster) server(id uint64) *server {
	if id < 1 || id > uint64(len(c.servers)) {
		return nil
	}
	return c.servers[id-1]
}

// founders returns the raft ids of the first voters.
func (c *Cluster) founders() []uint64 {
	var ids []uint64
	for _, s := range c.servers {
		if s.voter {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// leader returns the running server that leads in the highest term, or nil.
func (c *Cluster) leader() *server {
	var leader *server
	highest := uint64(0)
	for _, s := range c.servers {
		if !s.leads() {
			continue
		}
		if term := s.replica.raw.BasicStatus().GetTerm(); term > highest {
			leader, highest = s, term
		}
	}
	return leader
}

// Nodes returns the nodes of the servers, spare ones included, by raft id from 1.
func (c *Cluster) Nodes() []*kernel.Node {
	list := make([]*kernel.Node, len(c.servers))
	for i, s := range c.servers {
		list[i] = s.node
	}
	return list
}

// Leader returns the node of the running server that leads in the highest term, or
// nil if none does.
func (c *Cluster) Leader() *kernel.Node {
	if s := c.leader(); s != nil {
		return s.node
	}
	return nil
}

// Status returns raft's status of the server of that raft id, from 1, and false if
// it is not running.
func (c *Cluster) Status(id uint64) (raft.Status, bool) {
	if s := c.server(id); s != nil && s.replica != nil {
		return s.replica.raw.Status(), true
	}
	return raft.Status{}, false
}

// Members returns the configuration that the cluster has applied last, as far as
// any server knows.
func (c *Cluster) Members() *pb.ConfState { return c.audit.members() }

// quiet returns when clients stop, which leaves the servers time to agree.
func (c *Cluster) quiet() kernel.Time { return kernel.Time(c.config.Duration - 5*time.Second) }

// recovered returns when the last faults of a preset end.
func (c *Cluster) recovered() kernel.Time {
	return kernel.Time(c.config.Duration - c.config.Duration/4)
}
