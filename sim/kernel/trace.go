// SPDX-License-Identifier: MPL-2.0

package kernel

import "encoding/binary"

// Kind says what a trace record is about. Kinds of other packages are prefixed
// with their subject, such as "net.send" or "disk.sync".
type Kind string

// The kinds that the kernel itself emits.
const (
	KindBoot    Kind = "boot"
	KindCrash   Kind = "crash"
	KindRestart Kind = "restart"
	KindPause   Kind = "pause"
	KindResume  Kind = "resume"
	KindClock   Kind = "clock" // a clock jumped or changed its drift
	KindTimer   Kind = "timer" // a timer of Node.After fired
	KindLog     Kind = "log"
	KindFail    Kind = "fail"
)

// Attr is one named detail of a record.
type Attr struct {
	Key   string
	Value string
}

// Record is one entry of the trace.
type Record struct {
	Seq   uint64 // 1 for the first record of a run
	At    Time
	Node  NodeID // 0 when the record belongs to no node
	Inc   int    // the node's incarnation
	Kind  Kind
	Cause uint64 // Seq of the record that led to this one; 0 when there is none
	Text  string
	Attrs []Attr
}

// trace numbers, hashes and, on request, keeps the records of a run.
type trace struct {
	seq     uint64
	hash    uint64
	cause   uint64
	keep    bool
	records []Record
	buf     []byte // the encoding of one record, reused
}

// add takes attrs apart from r and copies them in this way because only so do
// the lists of callers stay off the heap.
func (t *trace) add(r Record, attrs []Attr) {
	t.buf = appendRecord(t.buf[:0], &r, attrs)
	t.hash = fnv1a(t.hash, t.buf)
	if t.keep {
		r.Attrs = append([]Attr(nil), attrs...)
		t.records = append(t.records, r)
	}
}

// Emit adds a record about n, which may be nil, and returns its sequence number.
// Its cause is the current one, see [Sim.Cause].
func (s *Sim) Emit(n *Node, kind Kind, text string, attrs ...Attr) uint64 {
	t := &s.trace
	t.seq++
	r := Record{Seq: t.seq, At: s.now, Kind: kind, Cause: t.cause, Text: text}
	if n != nil {
		r.Node, r.Inc = n.id, n.inc
	}
	t.add(r, attrs)
	return r.Seq
}

// Begin is Emit for a record that opens an activity: it becomes the cause of what
// follows in the running event.
func (s *Sim) Begin(n *Node, kind Kind, text string, attrs ...Attr) uint64 {
	seq := s.Emit(n, kind, text, attrs...)
	s.trace.cause = seq
	return seq
}

// Cause returns the sequence number of the record that the next record and the
// next scheduled event will name as their cause; 0 when there is none. An event
// starts with the cause that was current when it was scheduled.
func (s *Sim) Cause() uint64 { return s.trace.cause }

// SetCause changes the current cause for the rest of the running event.
func (s *Sim) SetCause(seq uint64) { s.trace.cause = seq }

// TraceHash returns the FNV-1a hash of all records so far, kept or not. Equal
// hashes mean equal runs.
func (s *Sim) TraceHash() uint64 { return s.trace.hash }

// Records returns the records so far, or nil if [Config].Record is off. The
// caller must not change them.
func (s *Sim) Records() []Record { return s.trace.records }

// RecordCount returns how many records were emitted, kept or not.
func (s *Sim) RecordCount() uint64 { return s.trace.seq }

// HashRecords returns what [Sim.TraceHash] returns for a run with these records.
func HashRecords(records []Record) uint64 {
	h := uint64(fnvOffset)
	var buf []byte
	for i := range records {
		buf = appendRecord(buf[:0], &records[i], records[i].Attrs)
		h = fnv1a(h, buf)
	}
	return h
}

// appendRecord encodes r with attrs: integers as varints, texts and lists with their length
// in front, so that no two records share an encoding.
func appendRecord(b []byte, r *Record, attrs []Attr) []byte {
	b = binary.AppendUvarint(b, r.Seq)
	b = binary.AppendVarint(b, int64(r.At))
	b = binary.AppendVarint(b, int64(r.Node))
	b = binary.AppendVarint(b, int64(r.Inc))
	b = appendText(b, string(r.Kind))
	b = binary.AppendUvarint(b, r.Cause)
	b = appendText(b, r.Text)
	b = binary.AppendUvarint(b, uint64(len(attrs)))
	for i := range attrs {
		b = appendText(b, attrs[i].Key)
		b = appendText(b, attrs[i].Value)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// fnv1a continues the hash h over b. It stands here because hash/fnv offers no
// way to hash without an allocation per run of bytes.
func fnv1a(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h
}
