// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"

	pb "go.etcd.io/raft/v3/raftpb"
)

// Operations of a command.
const (
	opPut = "put"
	opGet = "get"
)

// command is what a normal entry of the log says.
type command struct {
	Client string `json:"c"`
	Seq    uint64 `json:"n"` // rises from operation to operation of a client
	Op     string `json:"o"`
	Key    string `json:"k"`
	Value  string `json:"v,omitempty"`
}

func (c command) encode() []byte {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // strings and a number
	}
	return b
}

// machine is the replicated key-value store. Its fields are what a snapshot holds.
type machine struct {
	Index  uint64 `json:"index"`  // of the last entry applied
	Term   uint64 `json:"term"`   // of that entry
	Digest uint64 `json:"digest"` // of all entries applied, in order

	Values   map[string]string `json:"values"`
	Sessions map[string]uint64 `json:"sessions"` // sequence number of a client's last put
}

func newMachine() *machine {
	return &machine{Values: map[string]string{}, Sessions: map[string]uint64{}}
}

// note takes an entry into account whatever it says.
func (m *machine) note(e *pb.Entry) {
	m.Index, m.Term = e.GetIndex(), e.GetTerm()
	m.Digest = extend(m.Digest, e)
}

// extend continues a digest over an entry.
func extend(digest uint64, e *pb.Entry) uint64 {
	h := fnv.New64a()
	var head [28]byte
	binary.LittleEndian.PutUint64(head[0:], digest)
	binary.LittleEndian.PutUint64(head[8:], e.GetIndex())
	binary.LittleEndian.PutUint64(head[16:], e.GetTerm())
	binary.LittleEndian.PutUint32(head[24:], uint32(e.GetType()))
	h.Write(head[:])
	h.Write(e.GetData())
	return h.Sum64()
}

// apply executes a command and returns the value that the key has afterwards. A
// put that comes again, or after a later one of its client, changes nothing.
func (m *machine) apply(c command) string {
	if c.Op == opPut && c.Seq > m.Sessions[c.Client] {
		m.Sessions[c.Client] = c.Seq
		m.Values[c.Key] = c.Value
	}
	return m.Values[c.Key]
}

func (m *machine) encode() []byte {
	b, err := json.Marshal(m) // maps in the order of their keys
	if err != nil {
		panic(err) // strings and numbers
	}
	return b
}

func decodeMachine(b []byte) (*machine, error) {
	m := newMachine()
	if len(b) == 0 {
		return m, nil
	}
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	return m, nil
}

// equal reports whether two machines that have applied the same entries agree.
func (m *machine) equal(o *machine) bool {
	return m.Index == o.Index && m.Digest == o.Digest && maps.Equal(m.Values, o.Values) && maps.Equal(m.Sessions, o.Sessions)
}

func decodeCommand(e *pb.Entry) command {
	var c command
	if err := json.Unmarshal(e.GetData(), &c); err != nil {
		panic(fmt.Sprintf("etcdraft: the command of entry %d cannot be decoded: %v", e.GetIndex(), err))
	}
	return c
}
