// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"testing"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

func entry(index, term uint64, data string) *pb.Entry {
	return &pb.Entry{Index: new(index), Term: new(term), Data: []byte(data)}
}

// newJournal returns a log behind entry 5 of term 2 with entries 6 to 9.
func newJournal() *journal {
	return &journal{
		snapshot: &pb.Snapshot{Data: []byte("{}"), Metadata: &pb.SnapshotMetadata{Index: new(uint64(7)), Term: new(uint64(2)), ConfState: &pb.ConfState{Voters: []uint64{1, 2, 3}}}},
		base:     entry(5, 2, ""),
		hard:     &pb.HardState{Term: new(uint64(3)), Vote: new(uint64(1)), Commit: new(uint64(7))},
		entries:  []*pb.Entry{entry(6, 2, "a"), entry(7, 2, "b"), entry(8, 3, "c"), entry(9, 3, "d")},
	}
}

func TestJournalReadsWhatItWrote(t *testing.T) {
	want := newJournal()
	image := want.image()
	got := &journal{}
	got.read(image)
	if got.length != len(image) || !proto.Equal(got.hard, want.hard) || !proto.Equal(got.snapshot, want.snapshot) || len(got.entries) != 4 {
		t.Errorf("read %d of %d bytes: %s", got.length, len(image), got.text())
	}
	got.read(appendRecord(image, recordEntry, entry(7, 4, "new")))
	if last, term := got.last(); last != 7 || term != 4 || len(got.entries) != 2 {
		t.Errorf("a new entry 7 leaves a log up to %d of term %d", last, term)
	}
}

// A log that ends anywhere is understood up to its last whole record.
func TestJournalStopsAtATornRecord(t *testing.T) {
	j := newJournal()
	head := (&journal{snapshot: j.snapshot, base: j.base, hard: j.hard}).image()
	ends := []int{len(head)}
	image := head
	for _, e := range j.entries {
		image = appendRecord(image, recordEntry, e)
		ends = append(ends, len(image))
	}
	for n := len(head); n <= len(image); n++ {
		got := &journal{}
		got.read(image[:n])
		whole := 0
		for whole+1 < len(ends) && ends[whole+1] <= n {
			whole++
		}
		if len(got.entries) != whole || got.length != ends[whole] {
			t.Fatalf("%d of %d bytes: %d entries in %d bytes, want %d in %d", n, len(image), len(got.entries), got.length, whole, ends[whole])
		}
	}
}

func TestJournalNoticesFlippedBits(t *testing.T) {
	image := newJournal().image()
	for i := range image {
		damaged := append([]byte(nil), image...)
		damaged[i] ^= 0x10
		got := &journal{}
		got.read(damaged)
		if got.length == len(image) {
			t.Fatalf("byte %d was flipped, and nobody noticed", i)
		}
	}
}

func TestJournalRefusesGaps(t *testing.T) {
	for _, e := range []*pb.Entry{entry(5, 2, "at the base"), entry(4, 2, "before it"), entry(11, 3, "behind a gap")} {
		if j := newJournal(); j.put(e) {
			t.Errorf("entry %d %s was taken", e.GetIndex(), e.GetData())
		}
	}
}

func TestStore(t *testing.T) {
	s := &store{journal: *newJournal()}
	for _, test := range []struct {
		lo, hi, size uint64
		want         int
		err          error
	}{
		{6, 10, 1 << 20, 4, nil},
		{6, 10, 0, 1, nil},
		{7, 9, uint64(2 * proto.Size(s.entries[1])), 2, nil},
		{7, 9, uint64(2*proto.Size(s.entries[1])) - 1, 1, nil},
		{5, 7, 100, 0, raft.ErrCompacted},
		{6, 11, 100, 0, raft.ErrUnavailable},
	} {
		list, err := s.Entries(test.lo, test.hi, test.size)
		if len(list) != test.want || err != test.err {
			t.Errorf("Entries(%d, %d, %d) gives %d entries, %v, want %d, %v", test.lo, test.hi, test.size, len(list), err, test.want, test.err)
		}
	}
	for _, test := range []struct {
		index, want uint64
		err         error
	}{{4, 0, raft.ErrCompacted}, {5, 2, nil}, {8, 3, nil}, {10, 0, raft.ErrUnavailable}} {
		if term, err := s.Term(test.index); term != test.want || err != test.err {
			t.Errorf("Term(%d) = %d, %v, want %d, %v", test.index, term, err, test.want, test.err)
		}
	}
}

func TestStoreCompacts(t *testing.T) {
	for _, test := range []struct{ end, keep, first, entries uint64 }{
		{8, 1, 8, 2}, {8, 0, 9, 1}, {9, 0, 10, 0}, {8, 3, 6, 4}, {8, 50, 6, 4},
	} {
		s := &store{journal: *newJournal()}
		s.compact(&pb.Snapshot{Metadata: &pb.SnapshotMetadata{Index: new(test.end)}}, test.keep)
		first, _ := s.FirstIndex()
		last, _ := s.LastIndex()
		if first != test.first || last != 9 || uint64(len(s.entries)) != test.entries {
			t.Errorf("compact(%d, keep %d): entries %d to %d, want from %d", test.end, test.keep, first, last, test.first)
		}
	}
}

func TestMachineAppliesAPutOnce(t *testing.T) {
	m := newMachine()
	put := func(seq uint64, value string) {
		m.apply(command{Client: "c1", Seq: seq, Op: opPut, Key: "k", Value: value})
	}
	put(1, "a")
	put(2, "b")
	put(1, "a") // a retry that was overtaken
	if got := m.apply(command{Client: "c2", Seq: 1, Op: opGet, Key: "k"}); got != "b" {
		t.Errorf("k is %q, want b", got)
	}
	o, err := decodeMachine(m.encode())
	if err != nil || !m.equal(o) {
		t.Errorf("a snapshot of %+v gives %+v, %v", m, o, err)
	}
	if _, err := decodeMachine([]byte("{")); err == nil {
		t.Error("half a snapshot was taken")
	}
}

func TestDigestDependsOnEverything(t *testing.T) {
	seen := map[uint64]string{}
	for name, e := range map[string]*pb.Entry{
		"entry": entry(1, 1, "x"), "index": entry(2, 1, "x"), "term": entry(1, 2, "x"), "data": entry(1, 1, "y"),
		"type": {Index: new(uint64(1)), Term: new(uint64(1)), Data: []byte("x"), Type: pb.EntryConfChange.Enum()},
	} {
		d := extend(0, e)
		if other, ok := seen[d]; ok {
			t.Errorf("%s and %s have one digest", name, other)
		}
		seen[d] = name
	}
	if extend(1, entry(1, 1, "x")) == extend(2, entry(1, 1, "x")) {
		t.Error("the digest forgets what came before")
	}
}
