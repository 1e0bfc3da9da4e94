// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// store is the part of the log that is on the disk, in memory: raft's Storage.
type store struct {
	journal
	conf *pb.ConfState                // the members when the server started
	make func() (*pb.Snapshot, error) // a snapshot of the state machine as it is
}

var _ raft.Storage = (*store)(nil)

// InitialState implements raft.Storage.
func (s *store) InitialState() (*pb.HardState, *pb.ConfState, error) { return s.hard, s.conf, nil }

// FirstIndex implements raft.Storage.
func (s *store) FirstIndex() (uint64, error) { return s.base.GetIndex() + 1, nil }

// LastIndex implements raft.Storage.
func (s *store) LastIndex() (uint64, error) {
	index, _ := s.last()
	return index, nil
}

// Term implements raft.Storage.
func (s *store) Term(index uint64) (uint64, error) {
	if index < s.base.GetIndex() {
		return 0, raft.ErrCompacted
	}
	term, ok := s.term(index)
	if !ok {
		return 0, raft.ErrUnavailable
	}
	return term, nil
}

// Entries implements raft.Storage: at least one entry, and more while they stay
// below maxSize bytes.
func (s *store) Entries(lo, hi, maxSize uint64) ([]*pb.Entry, error) {
	base := s.base.GetIndex()
	switch {
	case lo <= base:
		return nil, raft.ErrCompacted
	case hi-base-1 > uint64(len(s.entries)):
		return nil, raft.ErrUnavailable
	}
	list := s.entries[lo-base-1 : hi-base-1]
	size := uint64(0)
	for i, e := range list {
		size += uint64(proto.Size(e))
		if i > 0 && size > maxSize {
			list = list[:i]
			break
		}
	}
	return list[:len(list):len(list)], nil
}

// Snapshot implements raft.Storage.
func (s *store) Snapshot() (*pb.Snapshot, error) { return s.make() }

// compact takes over a snapshot that the state machine is at or beyond, and keeps
// the last entries before its end for followers that lag a little.
func (s *store) compact(snapshot *pb.Snapshot, keep uint64) {
	s.snapshot = snapshot
	end := snapshot.GetMetadata().GetIndex()
	if end <= s.base.GetIndex()+keep {
		return
	}
	first := end - keep
	term, _ := s.term(first)
	s.entries = append([]*pb.Entry(nil), s.entries[first-s.base.GetIndex():]...)
	s.base = &pb.Entry{Index: new(first), Term: new(term)}
}

// restart makes s the log that begins behind snapshot.
func (s *store) restart(snapshot *pb.Snapshot) {
	meta := snapshot.GetMetadata()
	s.snapshot = snapshot
	s.base = &pb.Entry{Index: new(meta.GetIndex()), Term: new(meta.GetTerm())}
	s.entries = nil
}
