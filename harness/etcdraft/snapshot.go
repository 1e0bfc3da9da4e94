// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// snapshotKeep is the number of entries before a snapshot that stay in the log.
const snapshotKeep = 10

// snapshot describes the state machine as it is.
func (r *replica) snapshot() (*pb.Snapshot, error) {
	index, term := r.machine.Index, r.machine.Term
	if r.cluster.config.Bug == BugSnapshotOffByOne {
		if before, ok := r.store.term(index - 1); ok {
			index, term = index-1, before
		}
	}
	return &pb.Snapshot{
		Data: r.machine.encode(),
		Metadata: &pb.SnapshotMetadata{
			Index:     new(index),
			Term:      new(term),
			ConfState: proto.Clone(r.conf).(*pb.ConfState),
		},
	}, nil
}

// restore makes the state of a snapshot from the leader the server's own.
func (r *replica) restore(snapshot *pb.Snapshot) error {
	m, err := decodeMachine(snapshot.GetData())
	if err != nil {
		return err
	}
	meta := snapshot.GetMetadata()
	r.machine = m
	r.machine.Index, r.machine.Term = meta.GetIndex(), meta.GetTerm()
	r.applied = m.Index
	r.conf = meta.GetConfState()
	r.store.restart(snapshot)
	r.cluster.audit.restored(r)
	return nil
}

// compact takes a snapshot if it is time for one.
func (r *replica) compact() {
	every := uint64(r.cluster.config.SnapshotEvery)
	if every == 0 || r.machine.Index < r.store.snapshot.GetMetadata().GetIndex()+every {
		return
	}
	snapshot, _ := r.snapshot()
	next := *r.store
	next.compact(snapshot, snapshotKeep)
	r.busy = true
	r.replace(&next.journal, func() {
		r.store.compact(snapshot, snapshotKeep)
		r.cluster.world.Reached(reachedCompact)
		r.busy = false
		r.work()
	})
}
