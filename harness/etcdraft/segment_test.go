// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"strconv"
	"testing"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// TestSegmentSurvivesCrashes appends, syncs, starts new segments and crashes at
// random, also on the way to a new segment, and wants after each crash every synced entry, nothing that was never
// written, and a log that takes more.
func TestSegmentSurvivesCrashes(t *testing.T) {
	for seed := range uint64(200) {
		s := kernel.New(kernel.Config{Seed: seed})
		n := s.AddNode("n1", nil)
		v := simdisk.New(s, simdisk.Config{}).Volume(n)
		s.Start()
		s.Run()
		log := &life{t: t, volume: v, seed: seed}
		log.format()
		r := s.Rand("test")
		for range 100 {
			switch kernel.Uniform(r, 0, 9) {
			case 0, 1, 2, 3, 4:
				log.append()
			case 5, 6:
				log.sync()
			case 7:
				log.replace(3)
			default:
				log.replace(int(kernel.Uniform(r, 0, 2)))
				n.Crash()
				n.Restart()
				log.reopen()
			}
		}
	}
}

// life is a log, and what is known of it.
type life struct {
	t       *testing.T
	seed    uint64
	volume  *simdisk.Volume
	segment *segment
	journal *journal
	synced  uint64 // last entry that must survive
	version int    // tells entries of one index apart
	valid   map[uint64]map[string]bool
}

func (l *life) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatalf("seed %d: %v", l.seed, err)
	}
}

func (l *life) format() {
	l.valid = map[uint64]map[string]bool{}
	l.journal = newJournal()
	l.journal.entries = nil
	l.segment = &segment{volume: l.volume}
	l.must(l.segment.begin(l.journal.image()))
	l.must(l.segment.place())
	l.must(l.segment.finish())
	l.synced, _ = l.journal.last()
}

func (l *life) append() {
	last, _ := l.journal.last()
	l.version++
	e := entry(last+1, 3, strconv.Itoa(l.version))
	l.journal.put(e)
	if l.valid[last+1] == nil {
		l.valid[last+1] = map[string]bool{}
	}
	l.valid[last+1][string(e.GetData())] = true
	l.must(l.segment.append(appendRecord(nil, recordEntry, e)))
}

func (l *life) sync() {
	l.must(l.segment.sync())
	l.synced, _ = l.journal.last()
}

// replace starts a new segment, and stops after so many of its three steps.
func (l *life) replace(steps int) {
	for _, step := range []func() error{
		func() error { return l.segment.begin(l.journal.image()) }, l.segment.place, l.segment.finish,
	}[:steps] {
		l.must(step())
	}
	if steps == 3 {
		l.synced, _ = l.journal.last()
	}
}

func (l *life) reopen() {
	l.t.Helper()
	var err error
	l.segment, l.journal, err = openSegment(l.volume)
	l.must(err)
	if l.segment == nil {
		l.t.Fatalf("seed %d: the log is gone", l.seed)
	}
	last, _ := l.journal.last()
	if last < l.synced {
		l.t.Fatalf("seed %d: the log ends at %d, and %d was synced", l.seed, last, l.synced)
	}
	for _, e := range l.journal.entries {
		if !l.valid[e.GetIndex()][string(e.GetData())] {
			l.t.Fatalf("seed %d: entry %d holds %q, which was never written", l.seed, e.GetIndex(), e.GetData())
		}
	}
	l.synced = last // a torn end was cut off and the rest synced, or there was none
	l.must(l.segment.sync())
}

func TestOpenSegment(t *testing.T) {
	s := kernel.New(kernel.Config{})
	n := s.AddNode("n1", nil)
	v := simdisk.New(s, simdisk.Config{}).Volume(n)
	if segment, j, err := openSegment(v); segment != nil || j != nil || err != nil {
		t.Errorf("an empty volume gives %v, %v, %v", segment, j, err)
	}
	if err := v.WriteFileDurable(segmentPath(3), []byte("no log")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openSegment(v); err == nil || err.Error() != "/raft/log-00000003 does not start with a snapshot" {
		t.Errorf("a file that is no log gives %v", err)
	}
	if err := v.WriteFileDurable(segmentPath(12), newJournal().image()); err != nil {
		t.Fatal(err)
	}
	segment, j, err := openSegment(v)
	if err != nil || segment.number != 12 || len(j.entries) != 4 {
		t.Errorf("the newest segment gives %v, %v", segment, err)
	}
	if err := segment.append(appendRecord(nil, recordEntry, &pb.Entry{Index: new(uint64(10))})); err != nil {
		t.Error(err)
	}
}
