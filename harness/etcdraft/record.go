// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// The write-ahead log is a row of records: the length of the body and its CRC-32C,
// four bytes each, then the body: the kind, one byte, and the content.
const recordHead = 8

type recordKind byte

const (
	recordSnapshot  recordKind = 1 + iota // of the state machine
	recordBase                            // the entry before the first one kept
	recordHardState                       // replaces the one before
	recordEntry                           // replaces all entries from its index on
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendRecord(b []byte, kind recordKind, content proto.Message) []byte {
	start := len(b)
	b = append(b, make([]byte, recordHead)...)
	b = append(b, byte(kind))
	b, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(b, content)
	if err != nil {
		panic(fmt.Sprintf("etcdraft: a raft message cannot be encoded: %v", err)) // all its fields are optional
	}
	body := b[start+recordHead:]
	binary.LittleEndian.PutUint32(b[start:], uint32(len(body)))
	binary.LittleEndian.PutUint32(b[start+4:], crc32.Checksum(body, castagnoli))
	return b
}

// journal is what the records of a log add up to.
type journal struct {
	snapshot *pb.Snapshot
	base     *pb.Entry // index and term only
	hard     *pb.HardState
	entries  []*pb.Entry // from base+1 on, without a gap
	length   int         // bytes that were understood
}

// read adds the records of b from j.length on, up to the first that is torn or
// does not fit.
func (j *journal) read(b []byte) {
	for {
		body, ok := nextRecord(b[j.length:])
		if !ok || !j.add(recordKind(body[0]), body[1:]) {
			return
		}
		j.length += recordHead + len(body)
	}
}

func nextRecord(b []byte) (body []byte, ok bool) {
	if len(b) < recordHead {
		return nil, false
	}
	n := binary.LittleEndian.Uint32(b)
	if n == 0 || uint64(n) > uint64(len(b)-recordHead) {
		return nil, false
	}
	body = b[recordHead : recordHead+int(n)]
	return body, crc32.Checksum(body, castagnoli) == binary.LittleEndian.Uint32(b[4:])
}

// add reports whether the record makes sense here.
func (j *journal) add(kind recordKind, content []byte) bool {
	switch kind {
	case recordSnapshot:
		j.snapshot = &pb.Snapshot{}
		return proto.Unmarshal(content, j.snapshot) == nil
	case recordBase:
		j.base = &pb.Entry{}
		return proto.Unmarshal(content, j.base) == nil
	case recordHardState:
		j.hard = &pb.HardState{}
		return proto.Unmarshal(content, j.hard) == nil
	case recordEntry:
		e := &pb.Entry{}
		return proto.Unmarshal(content, e) == nil && j.put(e)
	}
	return false
}

func (j *journal) put(e *pb.Entry) bool {
	at := e.GetIndex() - j.base.GetIndex() - 1
	if e.GetIndex() <= j.base.GetIndex() || at > uint64(len(j.entries)) {
		return false
	}
	j.entries = append(j.entries[:at:at], e)
	return true
}

// last returns index and term of the last entry, which may be the base.
func (j *journal) last() (index, term uint64) {
	if n := len(j.entries); n > 0 {
		return j.entries[n-1].GetIndex(), j.entries[n-1].GetTerm()
	}
	return j.base.GetIndex(), j.base.GetTerm()
}

// term returns the term of the entry at index, and false if the journal does not
// hold it.
func (j *journal) term(index uint64) (uint64, bool) {
	switch base := j.base.GetIndex(); {
	case index == base:
		return j.base.GetTerm(), true
	case index < base || index-base > uint64(len(j.entries)):
		return 0, false
	default:
		return j.entries[index-base-1].GetTerm(), true
	}
}

// image encodes j as a whole log.
func (j *journal) image() []byte {
	b := appendRecord(nil, recordSnapshot, j.snapshot)
	b = appendRecord(b, recordBase, j.base)
	b = appendRecord(b, recordHardState, j.hard)
	for _, e := range j.entries {
		b = appendRecord(b, recordEntry, e)
	}
	return b
}

// text describes the end of the log for a report.
func (j *journal) text() string {
	if j.base == nil {
		return "no log"
	}
	index, term := j.last()
	return fmt.Sprintf("term %d, vote %d and entries up to %d of term %d", j.hard.GetTerm(), j.hard.GetVote(), index, term)
}
