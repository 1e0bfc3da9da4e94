// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	pb "go.etcd.io/raft/v3/raftpb"
)

// ballot is a term and the vote in it; a vote of 0 is none.
type ballot struct{ term, vote uint64 }

// watch is what the checks know of a server.
type watch struct {
	// Of the running incarnation.
	ballot        // the last that raft handed out
	commit uint64 // the last that raft handed out
	handed uint64 // last entry handed out to be applied

	told ballot // the last that another server was told of

	conf     *pb.ConfState // confText describes it
	confText string

	medium journal // what the disk would hold after a crash that loses all that is unsynced
	number int     // of the segment that it was read from
}

// look brings the knowledge of the medium up to date, from the medium alone.
func (w *watch) look(s *server) {
	v := s.volume()
	number := newest(v)
	data, err := v.ReadDurable(segmentPath(number))
	if err != nil { // its name is not durable yet
		number--
		data, err = v.ReadDurable(segmentPath(number))
	}
	if err != nil {
		w.medium, w.number = journal{}, 0
		return
	}
	if number != w.number {
		w.medium, w.number = journal{}, number
	}
	w.medium.read(data)
}

// holds reports whether the medium has the entry, by itself or in a snapshot.
func (w *watch) holds(s *server, e *pb.Entry) bool {
	if w.has(e) {
		return true
	}
	w.look(s)
	return w.has(e)
}

func (w *watch) has(e *pb.Entry) bool {
	if w.number == 0 {
		return false
	}
	if e.GetIndex() <= w.medium.snapshot.GetMetadata().GetIndex() {
		return true
	}
	term, ok := w.medium.term(e.GetIndex())
	return ok && term == e.GetTerm()
}

// sending checks that what a message promises is on the sender's disk.
func (a *audit) sending(r *replica, m *pb.Message) {
	w := &r.watch
	w.tell(m, r.id)
	if w.backs(m, r.id) {
		return
	}
	w.look(r.server)
	if !w.backs(m, r.id) {
		a.violated(checkDurable, "%s sends %q to %s, and its disk holds %s", r.node, describe(m), a.server(m.GetTo()).node, w.medium.text())
	}
}

// tell notes term and vote of a message.
func (w *watch) tell(m *pb.Message, self uint64) {
	if hypothetical(m) || m.GetTerm() < w.told.term {
		return
	}
	if m.GetTerm() > w.told.term {
		w.told = ballot{term: m.GetTerm()}
	}
	switch {
	case m.GetType() == pb.MsgVote:
		w.told.vote = self
	case m.GetType() == pb.MsgVoteResp && !m.GetReject():
		w.told.vote = m.GetTo()
	}
}

// backs reports whether the medium as it is known covers the message.
func (w *watch) backs(m *pb.Message, self uint64) bool {
	if hypothetical(m) || m.GetTerm() == 0 {
		return true
	}
	if w.number == 0 || w.medium.hard.GetTerm() < m.GetTerm() {
		return false
	}
	switch m.GetType() {
	case pb.MsgVote:
		return w.medium.votedFor(m.GetTerm(), self)
	case pb.MsgVoteResp:
		return m.GetReject() || w.medium.votedFor(m.GetTerm(), m.GetTo())
	case pb.MsgAppResp:
		last, _ := w.medium.last()
		return m.GetReject() || m.GetIndex() <= last || w.medium.hard.GetTerm() > m.GetTerm() // or overwritten since
	}
	return true
}

// votedFor reports whether the vote of the term went to id, or the term is over.
func (j *journal) votedFor(term, id uint64) bool {
	return j.hard.GetTerm() > term || j.hard.GetVote() == id
}
