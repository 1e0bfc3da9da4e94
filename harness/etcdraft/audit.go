// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"fmt"
	"slices"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/hmdsefi/faultline"
)

// The invariants, by the names that a failure reports.
const (
	checkElection = "election safety"         // no two leaders in one term
	checkMachine  = "state machine safety"    // all servers apply the same entries in the same order
	checkDurable  = "durable state"           // what a server tells others is on its disk
	checkHard     = "hard state monotonic"    // terms rise, a vote stays, a commit stays
	checkReady    = "ready contract"          // what raft hands out fits what it handed out before
	checkConf     = "configuration agreement" // all servers have the same members after the same entry
	checkVoter    = "leader is voter"         // in the leader's own configuration
)

var invariants = []string{
	checkElection, checkMachine, checkDurable, checkHard, checkReady, checkConf, checkVoter,
}

// What a run has reached, as the results line of a seed counts it.
const (
	reachedLeader   = "leader elected"
	reachedChange   = "members changed"
	reachedJoint    = "joint configuration"
	reachedSnapshot = "snapshot from leader"
	reachedCompact  = "log compacted"
	reachedStop     = "server stopped by its disk"
)

// audit sees what servers do when they do it. A violation is kept until the world
// asks after the event.
type audit struct {
	*Cluster
	errs    map[string]error
	leaders map[uint64]uint64 // by term
	log     []fact            // by index
	eras    []era             // the configurations so far
	acks    []command         // puts that clients know to be done
}

// fact is what the first server that applied an entry made of it.
type fact struct {
	known  bool
	by     uint64
	term   uint64
	digest uint64
	conf   string
}

// era is the time of one configuration, from the entry that brought it on.
type era struct {
	first uint64
	conf  *pb.ConfState
	text  string
}

func newAudit(c *Cluster) *audit {
	return &audit{Cluster: c, errs: map[string]error{}, leaders: map[uint64]uint64{}, eras: []era{{conf: &pb.ConfState{}}}}
}

// members returns the newest configuration that a server has applied.
func (a *audit) members() *pb.ConfState { return a.eras[len(a.eras)-1].conf }

func (a *audit) register(w *faultline.World) {
	for _, name := range invariants {
		w.Invariant(name, func() error { return a.errs[name] })
	}
	for _, f := range finals {
		w.Final(f.name, func() error { return f.check(a.Cluster) })
	}
}

// violated notes the first violation of a check.
func (a *audit) violated(check, format string, args ...any) {
	if a.errs[check] == nil {
		a.errs[check] = fmt.Errorf(format, args...)
	}
}

// started checks what a server has brought back from its disk against what it told
// others. The commit may fall back, as it need not be synced.
func (a *audit) started(r *replica) {
	w, hard := &r.watch, r.store.hard
	a.hardState(r, w.told, hard)
	w.ballot = ballot{hard.GetTerm(), hard.GetVote()}
	w.commit = hard.GetCommit()
	w.handed = r.machine.Index
	a.checkState(r)
}

// restored is called when a server has taken over a snapshot.
func (a *audit) restored(r *replica) {
	a.world.Reached(reachedSnapshot)
	a.checkState(r)
}

// applied is called when a server has applied an entry.
func (a *audit) applied(r *replica, e *pb.Entry) {
	if e.GetIndex() > r.watch.commit {
		a.violated(checkReady, "%s applies entry %d, and raft has committed up to %d only", r.node, e.GetIndex(), r.watch.commit)
	}
	a.checkState(r)
}

// checkState compares the server's state with that of the first one that was there.
func (a *audit) checkState(r *replica) {
	m := r.machine
	if m.Index == 0 {
		return
	}
	if r.conf != r.watch.conf {
		r.watch.conf, r.watch.confText = r.conf, confText(r.conf)
	}
	for uint64(len(a.log)) <= m.Index {
		a.log = append(a.log, fact{})
	}
	f := &a.log[m.Index]
	if !f.known {
		*f = fact{true, r.id, m.Term, m.Digest, r.watch.confText}
		if newest := a.eras[len(a.eras)-1]; newest.first < m.Index && newest.text != f.conf {
			a.eras = append(a.eras, era{m.Index, r.conf, f.conf})
			a.world.Reached(reachedChange)
			if joint(r.conf) {
				a.world.Reached(reachedJoint)
			}
		}
		return
	}
	first := a.server(f.by).node
	if f.term != m.Term || f.digest != m.Digest {
		a.violated(checkMachine, "%s has applied up to entry %d of term %d with digest %x, but %s term %d with digest %x",
			r.node, m.Index, m.Term, m.Digest, first, f.term, f.digest)
	}
	if f.conf != r.watch.confText {
		a.violated(checkConf, "after entry %d the members are %q for %s, but %q for %s", m.Index, r.watch.confText, r.node, f.conf, first)
	}
}

// seen looks at a server after it has done something.
func (a *audit) seen(r *replica) {
	status := r.raw.BasicStatus()
	if status.RaftState != raft.StateLeader {
		return
	}
	term := status.GetTerm()
	if other, ok := a.leaders[term]; !ok {
		a.leaders[term] = r.id
		a.world.Reached(reachedLeader)
	} else if other != r.id {
		a.violated(checkElection, "%s and %s both lead in term %d", a.server(other).node, r.node, term)
	}
	if r.stepsDown && !votes(r.conf, r.id) {
		a.violated(checkVoter, "%s leads in term %d and has no vote among %s", r.node, term, confText(r.conf))
	}
}

// hardState checks the hard state that follows an earlier one.
func (a *audit) hardState(r *replica, before ballot, hard *pb.HardState) {
	term, vote := hard.GetTerm(), hard.GetVote()
	switch {
	case term < before.term:
		a.violated(checkHard, "%s falls back from term %d to %d", r.node, before.term, term)
	case term == before.term && before.vote != 0 && vote != before.vote:
		a.violated(checkHard, "%s has voted for %d in term %d, now for %d", r.node, before.vote, term, vote)
	}
}

// acknowledged checks that an entry that a client is told of is on the disks of
// enough servers to survive.
func (a *audit) acknowledged(r *replica, e *pb.Entry) {
	holds := func(id uint64) bool { return a.server(id).watch.holds(a.server(id), e) }
	if !slices.ContainsFunc(a.committers(e.GetIndex()), func(c *pb.ConfState) bool {
		return majority(c.GetVoters(), holds) && majority(c.GetVotersOutgoing(), holds)
	}) {
		a.violated(checkDurable, "%s tells a client that entry %d is done, and it is not on the disks of a majority of %s",
			r.node, e.GetIndex(), confText(r.conf))
	}
}

// committers returns the configurations one of which has committed the entry at
// index: that of the entries up to it, or the one before, as a leader can commit a
// change and what follows it at once.
func (a *audit) committers(index uint64) []*pb.ConfState {
	last := len(a.eras) - 1
	for a.eras[last].first > index {
		last--
	}
	confs := []*pb.ConfState{a.eras[last].conf}
	if last > 1 {
		confs = append(confs, a.eras[last-1].conf)
	}
	return confs
}
