// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
)

// ready checks what raft hands out against what it handed out before.
func (a *audit) ready(r *replica, rd raft.Ready) {
	if !raft.IsEmptyHardState(rd.HardState) {
		a.readyHardState(r, rd)
	}
	last, _ := r.store.last()
	if !raft.IsEmptySnap(rd.Snapshot) {
		last = rd.Snapshot.GetMetadata().GetIndex()
		if last <= r.watch.handed {
			a.violated(checkReady, "raft hands %s a snapshot of entry %d, and entry %d is applied", r.node, last, r.watch.handed)
		}
		r.watch.handed = last
	}
	if n := len(rd.Entries); n > 0 {
		a.readyEntries(r, rd.Entries, last)
		last = rd.Entries[n-1].GetIndex()
		if !rd.MustSync {
			a.violated(checkReady, "raft hands %s entries that need no sync", r.node)
		}
	}
	if r.watch.commit > last {
		a.violated(checkReady, "raft tells %s to commit %d, and its log ends at %d", r.node, r.watch.commit, last)
	}
	a.readyCommitted(r, rd.CommittedEntries)
	a.readyMessages(r, rd.Messages)
}

func (a *audit) readyHardState(r *replica, rd raft.Ready) {
	w := &r.watch
	hard := rd.HardState
	a.hardState(r, w.ballot, hard)
	if hard.GetCommit() < w.commit {
		a.violated(checkHard, "the commit of %s falls back from %d to %d", r.node, w.commit, hard.GetCommit())
	}
	if (hard.GetTerm() != w.term || hard.GetVote() != w.vote) && !rd.MustSync {
		a.violated(checkReady, "raft hands %s a new term or vote that needs no sync", r.node)
	}
	w.ballot, w.commit = ballot{hard.GetTerm(), hard.GetVote()}, hard.GetCommit()
}

// readyEntries checks that new entries join the log and replace nothing applied.
func (a *audit) readyEntries(r *replica, entries []*pb.Entry, last uint64) {
	first := entries[0].GetIndex()
	if first > last+1 || first <= r.watch.handed {
		a.violated(checkReady, "raft hands %s entries from %d on; the log ends at %d and %d is applied", r.node, first, last, r.watch.handed)
	}
	for i, e := range entries {
		if e.GetIndex() != first+uint64(i) {
			a.violated(checkReady, "raft hands %s entry %d behind %d", r.node, e.GetIndex(), first+uint64(i)-1)
		}
	}
}

// readyCommitted checks that committed entries come one by one and none twice.
func (a *audit) readyCommitted(r *replica, entries []*pb.Entry) {
	w := &r.watch
	for _, e := range entries {
		if e.GetIndex() != w.handed+1 || e.GetIndex() > w.commit {
			a.violated(checkReady, "raft hands %s entry %d to apply, behind %d, with a commit of %d", r.node, e.GetIndex(), w.handed, w.commit)
		}
		w.handed = e.GetIndex()
	}
}

// readyMessages checks that messages are from this server and not from the future,
// save those that ask for a vote in a term that may never come.
func (a *audit) readyMessages(r *replica, messages []*pb.Message) {
	for _, m := range messages {
		if m.GetFrom() != r.id && !forwarded(m) {
			a.violated(checkReady, "raft hands %s a %s from %d", r.node, m.GetType(), m.GetFrom())
		}
		if m.GetTerm() > r.watch.term && !hypothetical(m) {
			a.violated(checkReady, "raft hands %s a %s of term %d, and its hard state has term %d", r.node, m.GetType(), m.GetTerm(), r.watch.term)
		}
	}
}

// forwarded reports whether a follower passes such a message on to the leader as it
// came.
func forwarded(m *pb.Message) bool {
	switch m.GetType() {
	case pb.MsgProp, pb.MsgReadIndex, pb.MsgTransferLeader:
		return true
	}
	return false
}

// hypothetical reports whether the term of a message is that of an election that
// has not begun.
func hypothetical(m *pb.Message) bool {
	return m.GetType() == pb.MsgPreVote || m.GetType() == pb.MsgPreVoteResp
}
