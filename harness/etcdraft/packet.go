// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"fmt"
	"strconv"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// The payloads on the network. A raft message travels encoded, as on a real wire:
// raft keeps and changes what it is handed.

// packet is a raft message.
type packet struct {
	data []byte
	text string
}

func newPacket(m *pb.Message) packet {
	data, err := proto.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("etcdraft: a raft message cannot be encoded: %v", err)) // all its fields are optional
	}
	return packet{data, describe(m)}
}

func (p packet) message() *pb.Message {
	m := &pb.Message{}
	if err := proto.Unmarshal(p.data, m); err != nil {
		panic(fmt.Sprintf("etcdraft: a raft message cannot be decoded: %v", err)) // nobody damaged it
	}
	return m
}

// Describe implements simnet.Describer.
func (p packet) Describe() string { return p.text }

// describe is the trace text of a message, such as "MsgApp term 3 after 17 (2 entries) commit 16".
func describe(m *pb.Message) string {
	b := append([]byte(nil), m.GetType().String()...)
	number := func(what string, n uint64) {
		b = append(b, what...)
		b = strconv.AppendUint(b, n, 10)
	}
	number(" term ", m.GetTerm())
	switch m.GetType() {
	case pb.MsgApp:
		number(" after ", m.GetIndex())
		number(" entries ", uint64(len(m.GetEntries())))
		number(" commit ", m.GetCommit())
	case pb.MsgSnap:
		number(" at ", m.GetSnapshot().GetMetadata().GetIndex())
	case pb.MsgAppResp, pb.MsgVote, pb.MsgPreVote:
		number(" index ", m.GetIndex())
	}
	if m.GetReject() {
		b = append(b, " reject"...)
	}
	return string(b)
}

// request asks a server for an operation.
type request struct {
	command
	try   int  // which of the client's attempts at the operation
	index bool // serve a get through ReadIndex
}

// Describe implements simnet.Describer.
func (r request) Describe() string {
	return r.Op + " " + r.Key + " of " + r.Client + "/" + strconv.FormatUint(r.Seq, 10)
}

// reply answers a request.
type reply struct {
	seq   uint64
	try   int
	done  bool   // else the server could not even try
	value string // of the key
}

// Describe implements simnet.Describer.
func (r reply) Describe() string {
	if !r.done {
		return "refused " + strconv.FormatUint(r.seq, 10)
	}
	return "done " + strconv.FormatUint(r.seq, 10) + ": " + r.value
}

// order is an instruction of the operator to the leader.
type order struct {
	text     string
	change   *pb.ConfChangeV2 // nil: a transfer
	transfer uint64           // raft id of the next leader
}

// Describe implements simnet.Describer.
func (o order) Describe() string { return o.text }
