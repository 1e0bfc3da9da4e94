// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"fmt"
	"slices"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/hmdsefi/faultline/sim/simdisk"
)

// work handles what raft has ready, one Ready after the other. While one is on its
// way to the disk, messages and ticks go on reaching raft.
func (r *replica) work() {
	r.serveWaiting()
	for r.alive() && !r.busy && r.raw.HasReady() {
		rd := r.raw.Ready()
		r.busy = true
		r.change = slices.ContainsFunc(rd.CommittedEntries, changesMembers)
		r.cluster.audit.ready(r, rd)
		if r.cluster.config.Bug == BugSendBeforePersist {
			r.send(rd.Messages)
		}
		r.persist(rd)
	}
	if r.alive() {
		r.cluster.audit.seen(r)
		r.cluster.ambush.seen(r)
	}
}

// persist brings the Ready to the disk, then goes on with it.
func (r *replica) persist(rd raft.Ready) {
	switch {
	case !raft.IsEmptySnap(rd.Snapshot):
		r.persistSnapshot(rd)
	case len(rd.Entries) > 0 || !raft.IsEmptyHardState(rd.HardState):
		r.persistRecords(rd)
	default:
		r.finish(rd)
	}
}

func (r *replica) persistRecords(rd raft.Ready) {
	var records []byte
	for _, e := range rd.Entries {
		records = appendRecord(records, recordEntry, e)
	}
	if !raft.IsEmptyHardState(rd.HardState) {
		records = appendRecord(records, recordHardState, rd.HardState)
	}
	if err := r.segment.append(records); err != nil {
		r.stop(err)
		return
	}
	if !rd.MustSync || r.cluster.config.Bug == BugSkipSync {
		r.after(func() { r.resume(rd) }, simdisk.OpWrite)
		return
	}
	r.after(func() {
		if err := r.segment.sync(); err != nil {
			r.stop(err)
			return
		}
		r.resume(rd)
	}, simdisk.OpWrite, simdisk.OpSync)
}

// persistSnapshot starts a new log behind a snapshot from the leader.
func (r *replica) persistSnapshot(rd raft.Ready) {
	next := &store{journal: journal{hard: r.store.hard}}
	next.restart(rd.Snapshot)
	next.remember(rd)
	r.replace(&next.journal, func() { r.resume(rd) })
}

// replace writes j as the new log, step by step, then goes on with done.
func (r *replica) replace(j *journal, done func()) {
	if err := r.segment.begin(j.image()); err != nil {
		r.stop(err)
		return
	}
	r.after(func() {
		if err := r.segment.place(); err != nil {
			r.stop(err)
			return
		}
		r.after(func() {
			if err := r.segment.finish(); err != nil {
				r.stop(err)
				return
			}
			done()
		}, simdisk.OpMeta, simdisk.OpSyncDir)
	}, simdisk.OpWrite, simdisk.OpSync)
}

// resume is finish in an event of its own.
func (r *replica) resume(rd raft.Ready) {
	r.finish(rd)
	r.work()
}

// finish does what must wait until the Ready is on the disk.
func (r *replica) finish(rd raft.Ready) {
	if !raft.IsEmptySnap(rd.Snapshot) {
		if err := r.restore(rd.Snapshot); err != nil {
			r.stop(err)
			return
		}
	}
	r.store.remember(rd)
	if r.cluster.config.Bug != BugSendBeforePersist {
		r.send(rd.Messages)
	}
	if r.cluster.config.Bug == BugApplyBeforeCommit {
		r.applyEarly(rd)
	} else {
		r.apply(rd.CommittedEntries)
	}
	r.confirm(rd.ReadStates)
	r.raw.Advance(rd)
	r.busy, r.change = false, false
	r.compact()
	for _, m := range r.held {
		r.raw.Step(m)
	}
	r.held = nil
}

func changesMembers(e *pb.Entry) bool { return e.GetType() != pb.EntryNormal }

// remember brings the entries and the hard state of a Ready into memory, where
// raft reads them.
func (s *store) remember(rd raft.Ready) {
	for _, e := range rd.Entries {
		if !s.put(e) {
			panic(fmt.Sprintf("etcdraft: raft hands out entry %d, the log ends at %d", e.GetIndex(), s.base.GetIndex()+uint64(len(s.entries))))
		}
	}
	if !raft.IsEmptyHardState(rd.HardState) {
		s.hard = rd.HardState
	}
}

func (r *replica) send(messages []*pb.Message) {
	for _, m := range messages {
		to := r.cluster.server(m.GetTo())
		if to == nil {
			continue
		}
		r.cluster.audit.sending(r, m)
		r.cluster.world.Net.Send(r.node, to.node.ID(), newPacket(m))
		if m.GetType() == pb.MsgSnap {
			r.raw.ReportSnapshot(m.GetTo(), raft.SnapshotFinish) // on its way; if it is lost, raft probes
		}
	}
}

// apply executes committed entries.
func (r *replica) apply(entries []*pb.Entry) {
	for _, e := range entries {
		r.applyEntry(e)
	}
	r.serveReads()
}

func (r *replica) applyEntry(e *pb.Entry) {
	r.machine.note(e)
	switch e.GetType() {
	case pb.EntryNormal:
		r.execute(e)
	case pb.EntryConfChange:
		change := &pb.ConfChange{}
		decodeEntry(e, change)
		r.conf = r.raw.ApplyConfChange(change)
	case pb.EntryConfChangeV2:
		change := &pb.ConfChangeV2{}
		decodeEntry(e, change)
		r.conf = r.raw.ApplyConfChange(change)
	}
	r.cluster.audit.applied(r, e)
}

func decodeEntry(e *pb.Entry, into proto.Message) {
	if err := proto.Unmarshal(e.GetData(), into); err != nil {
		panic(fmt.Sprintf("etcdraft: entry %d cannot be decoded: %v", e.GetIndex(), err))
	}
}

// execute runs the command of an entry and answers the client that waits for it
// here.
func (r *replica) execute(e *pb.Entry) {
	if len(e.GetData()) == 0 {
		return // the first entry of a leader
	}
	c := decodeCommand(e)
	value := r.machine.apply(c)
	w, ok := r.puts[c.Client]
	if !ok || w.Seq != c.Seq {
		return
	}
	delete(r.puts, c.Client)
	r.cluster.audit.acknowledged(r, e)
	r.answer(w, reply{seq: c.Seq, try: w.try, done: true, value: value})
}

// applyEarly is the bug of not waiting for the commit.
func (r *replica) applyEarly(rd raft.Ready) {
	for _, e := range rd.Entries {
		if e.GetIndex() == r.applied+1 && e.GetType() == pb.EntryNormal {
			r.applied++
			r.applyEntry(e)
		}
	}
	for _, e := range rd.CommittedEntries {
		if e.GetIndex() > r.applied {
			r.applied = e.GetIndex()
			r.applyEntry(e)
		}
	}
	r.serveReads()
}

// confirm moves reads that raft has confirmed to those that wait for the state
// machine.
func (r *replica) confirm(states []raft.ReadState) {
	for _, s := range states {
		context := string(s.RequestCtx)
		if w, ok := r.reads[context]; ok {
			delete(r.reads, context)
			r.ready = append(r.ready, confirmed{s.Index, w})
		}
	}
	r.serveReads()
}

func (r *replica) serveReads() {
	rest := r.ready[:0]
	for _, c := range r.ready {
		if c.index > r.machine.Index {
			rest = append(rest, c)
			continue
		}
		r.answer(c.waiter, reply{seq: c.Seq, try: c.try, done: true, value: r.machine.Values[c.Key]})
	}
	r.ready = rest
}
