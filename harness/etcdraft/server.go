// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

const (
	tick         = 100 * time.Millisecond
	electionTick = 10

	// restartDelay is how long a server that stopped by itself stays down.
	restartDelay = time.Second
)

// server is a machine of the cluster, over all its incarnations.
type server struct {
	cluster *Cluster
	id      uint64 // raft's, from 1 in the order of the nodes
	node    *kernel.Node
	voter   bool // from the start

	replica *replica // the running incarnation; nil while the node is down
	retired bool     // removed from the cluster and switched off
	watch   watch    // what the checks know of it
}

func (s *server) volume() *simdisk.Volume { return s.cluster.world.Disk.Volume(s.node) }

// boot is the node's boot function.
func (s *server) boot(n *kernel.Node) {
	if s.retired {
		return
	}
	r, err := startReplica(s, n)
	if err != nil {
		n.Post(func() { s.stop(err) })
		return
	}
	s.replica = r
	r.tick()
	r.work()
}

// stop ends a server that cannot go on, as a server does whose disk fails, and
// starts it again later.
func (s *server) stop(err error) {
	s.cluster.world.Reached(reachedStop)
	s.node.Logf("stops: %v", err)
	s.node.Crash()
	s.cluster.world.Sim.After(restartDelay, func() { s.node.Restart() })
}

// retire switches a server off for good. Its node stays up with nothing on it: as a
// node that is down it would count towards the faults that a planner allows.
func (s *server) retire() {
	s.retired = true
	s.node.Logf("is switched off")
	s.node.Crash()
	s.node.Restart()
}
