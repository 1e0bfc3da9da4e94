// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"strconv"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// replica is one incarnation of a server: raft, and the program around it.
type replica struct {
	*server
	inc     int
	raw     *raft.RawNode
	store   *store
	segment *segment
	machine *machine
	conf    *pb.ConfState // of the last entry applied
	busy    bool          // a Ready or a snapshot is on its way to the disk
	change  bool          // the Ready on its way holds a change of members to apply
	held    []*pb.Message // snapshots that wait for that change
	applied uint64        // by the bug that applies before the commit

	stepsDown bool  // raft is told to step down when it loses its vote
	stage     stage // where the planner of ambushes has seen it

	puts     map[string]waiter // by client: put or logged get on its way through the log
	reads    map[string]waiter // by context: waits for raft to confirm the read
	ready    []confirmed       // confirmed reads that wait for the state machine
	readings uint64
	waiting  []waiter // reads that wait for a leader
}

// waiter is who waits for the outcome of an operation.
type waiter struct {
	request
	from kernel.NodeID
}

type confirmed struct {
	index uint64
	waiter
}

// startReplica brings back what the disk holds, or sets up an empty server.
func startReplica(s *server, n *kernel.Node) (*replica, error) {
	r := &replica{server: s, inc: n.Inc(), puts: map[string]waiter{}, reads: map[string]waiter{}}
	if err := r.load(); err != nil {
		return nil, err
	}
	var err error
	if r.machine, err = decodeMachine(r.store.snapshot.GetData()); err != nil {
		return nil, err
	}
	r.conf = r.store.conf
	r.machine.Index = r.store.snapshot.GetMetadata().GetIndex()
	r.machine.Term = r.store.snapshot.GetMetadata().GetTerm()
	r.applied = r.machine.Index
	if s.cluster.config.Bug == BugForgetHardState {
		r.store.hard = &pb.HardState{Commit: new(r.machine.Index)}
	}
	s.cluster.audit.started(r)
	config := r.config()
	r.stepsDown = config.StepDownOnRemoval
	if r.raw, err = raft.NewRawNode(config); err != nil {
		return nil, err
	}
	s.cluster.world.Net.Handle(n, r.receive)
	return r, nil
}

func (r *replica) config() *raft.Config {
	c := &raft.Config{
		ElectionTick:             electionTick,
		HeartbeatTick:            1,
		MaxSizePerMsg:            1024,
		MaxCommittedSizePerReady: 256,
		MaxInflightMsgs:          8,
		CheckQuorum:              true,
		PreVote:                  true,
		StepDownOnRemoval:        true,
	}
	if configure := r.cluster.config.Configure; configure != nil {
		c.ID, c.Applied = r.id, r.machine.Index
		configure(c)
	}
	c.ID, c.Storage, c.Applied, c.Logger = r.id, r.store, r.machine.Index, logger{}
	c.AsyncStorageWrites = false
	return c
}

// load reads the log, or makes the first one.
func (r *replica) load() error {
	segment, j, err := openSegment(r.volume())
	if err != nil {
		return err
	}
	if segment == nil {
		segment, j, err = r.format()
		if err != nil {
			return err
		}
	}
	r.segment = segment
	r.store = &store{journal: *j, conf: j.snapshot.GetMetadata().GetConfState(), make: r.snapshot}
	return nil
}

// format writes the log of a new server. The first voters start with an equal
// snapshot that says who they are, the others know of no members.
func (r *replica) format() (*segment, *journal, error) {
	meta := &pb.SnapshotMetadata{ConfState: &pb.ConfState{AutoLeave: new(false)}, Index: new(uint64(0)), Term: new(uint64(0))}
	if r.voter {
		meta.Index, meta.Term = new(uint64(1)), new(uint64(1))
		meta.ConfState.Voters = r.cluster.founders()
	}
	j := &journal{
		snapshot: &pb.Snapshot{Metadata: meta},
		base:     &pb.Entry{Index: meta.Index, Term: meta.Term},
		hard:     &pb.HardState{Term: meta.Term, Vote: new(uint64(0)), Commit: meta.Index},
	}
	s := &segment{volume: r.volume()}
	for _, step := range []func() error{func() error { return s.begin(j.image()) }, s.place, s.finish} {
		if err := step(); err != nil {
			return nil, nil, err
		}
	}
	return s, j, nil
}

func (r *replica) tick() {
	r.node.After(tick, func() {
		r.raw.Tick()
		r.work()
		r.tick()
	})
}

// alive reports whether the incarnation still runs.
func (r *replica) alive() bool { return r.server.replica == r }

// after runs fn when operations on the disk of these kinds are over.
func (r *replica) after(fn func(), ops ...simdisk.Op) {
	var d time.Duration
	for _, op := range ops {
		d += r.volume().Latency(op)
	}
	r.node.After(d, fn)
}

// receive is the node's message handler.
func (r *replica) receive(from kernel.NodeID, payload any) {
	switch p := payload.(type) {
	case packet:
		r.step(p.message())
	case request:
		r.serve(waiter{p, from})
	case order:
		r.obey(p)
	}
	r.work()
}

// step hands raft a message. What raft refuses may be lost.
func (r *replica) step(m *pb.Message) {
	if m.GetType() == pb.MsgSnap && r.change && !r.cluster.config.EagerSnapshots {
		r.held = append(r.held, m)
		return
	}
	r.raw.Step(m)
}

// serve starts an operation of a client.
func (r *replica) serve(w waiter) {
	if w.Op == opGet && w.index {
		r.serveRead(w)
		return
	}
	if err := r.raw.Propose(w.command.encode()); err != nil {
		r.answer(w, reply{seq: w.Seq, try: w.try})
		return
	}
	r.puts[w.Client] = w
}

// serveRead asks raft to confirm a read. Without a leader raft would lose the
// request.
func (r *replica) serveRead(w waiter) {
	switch {
	case r.raw.BasicStatus().Lead != raft.None:
		r.readings++
		context := strconv.FormatUint(r.id, 10) + "/" + strconv.Itoa(r.inc) + "/" + strconv.FormatUint(r.readings, 10)
		r.reads[context] = w
		r.raw.ReadIndex([]byte(context))
	case r.cluster.config.Reads == ReadPatient:
		r.waiting = append(r.waiting, w)
	default:
		r.answer(w, reply{seq: w.Seq, try: w.try})
	}
}

// serveWaiting starts the reads that have waited for a leader.
func (r *replica) serveWaiting() {
	if !r.alive() || len(r.waiting) == 0 || r.raw.BasicStatus().Lead == raft.None {
		return
	}
	list := r.waiting
	r.waiting = nil
	for _, w := range list {
		r.serveRead(w)
	}
}

func (r *replica) answer(w waiter, a reply) {
	r.cluster.world.Net.Send(r.node, w.from, a)
}

// obey starts what the operator wants. What raft refuses, the operator sees not to
// happen.
func (r *replica) obey(o order) {
	if o.change == nil {
		r.raw.TransferLeader(o.transfer)
		return
	}
	r.raw.ProposeConfChange(o.change)
}
