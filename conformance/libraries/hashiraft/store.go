// SPDX-License-Identifier: MPL-2.0

package hashiraft

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/hashicorp/raft"

	"github.com/hmdsefi/faultline/shims/fsx"
)

const (
	journalName = "journal"
	journalTemp = "journal.new"
)

// store is raft's log store and stable store: a journal of what was set, appended and deleted, one record a line, and
// all of it in memory. Each change is synced before it is acknowledged.
type store struct {
	fs     fsx.FS
	noSync bool // a bug: acknowledge what is not synced

	// turn belongs to who changes the journal. It is a channel, and not a lock, because it is held across file
	// operations: without the wrapper a bubble cannot wait for a lock while virtual time goes on.
	turn    chan struct{}
	journal fsx.File
	damaged bool // nobody knows what of the last write is in the journal, so the next begins a new one

	mu    sync.Mutex
	state contents
}

// contents is what the journal says.
type contents struct {
	values      map[string][]byte
	logs        map[uint64]*raft.Log
	first, last uint64 // 0 if there is no log
}

// record is one change. One of the three is set.
type record struct {
	Set    *setting  `json:",omitempty"`
	Log    *raft.Log `json:",omitempty"`
	Delete *span     `json:",omitempty"`
}

type setting struct {
	Key   string
	Value []byte
}

type span struct{ Min, Max uint64 }

// openStore reads the journal as far as it is whole, and begins a new one with what it said.
func openStore(fsys fsx.FS, noSync bool) (*store, error) {
	s := &store{
		fs: fsys, noSync: noSync, turn: make(chan struct{}, 1),
		state: contents{values: map[string][]byte{}, logs: map[uint64]*raft.Log{}},
	}
	text, err := fsys.ReadFile(journalName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		r, ok := decode(line)
		if !ok {
			break // what a crash has torn was not acknowledged, nor was what follows it
		}
		s.state.apply(r)
	}
	return s, s.compact()
}

func encode(records []record) ([]byte, error) {
	var lines []byte
	for _, r := range records {
		text, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		lines = fmt.Appendf(lines, "%08x %s\n", crc32.ChecksumIEEE(text), text)
	}
	return lines, nil
}

func decode(line []byte) (r record, ok bool) {
	sum, text, found := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
	if want, err := strconv.ParseUint(string(sum), 16, 32); !found || err != nil || crc32.ChecksumIEEE(text) != uint32(want) {
		return record{}, false
	}
	return r, json.Unmarshal(text, &r) == nil
}

func (c *contents) apply(r record) {
	switch {
	case r.Set != nil:
		c.values[r.Set.Key] = r.Set.Value
	case r.Log != nil:
		c.logs[r.Log.Index] = r.Log
		c.last = max(c.last, r.Log.Index)
		if c.first == 0 || r.Log.Index < c.first {
			c.first = r.Log.Index
		}
	case r.Delete != nil:
		maps.DeleteFunc(c.logs, func(index uint64, _ *raft.Log) bool { return r.Delete.Min <= index && index <= r.Delete.Max })
		indices := slices.Sorted(maps.Keys(c.logs))
		c.first, c.last = 0, 0
		if len(indices) > 0 {
			c.first, c.last = indices[0], indices[len(indices)-1]
		}
	}
}

// records is the shortest journal that says the same.
func (c *contents) records() []record {
	var records []record
	for _, key := range slices.Sorted(maps.Keys(c.values)) {
		records = append(records, record{Set: &setting{key, c.values[key]}})
	}
	for _, index := range slices.Sorted(maps.Keys(c.logs)) {
		records = append(records, record{Log: c.logs[index]})
	}
	return records
}

// change writes records to the journal and then makes them visible.
func (s *store) change(records ...record) error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.damaged {
		if err := s.rewrite(); err != nil {
			return err
		}
	}
	lines, err := encode(records)
	if err != nil {
		return err
	}
	if err := s.write(s.journal, lines); err != nil {
		s.damaged = true
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range records {
		s.state.apply(r)
	}
	return nil
}

// write appends to a file and makes that durable.
func (s *store) write(f fsx.File, lines []byte) error {
	if _, err := f.Write(lines); err != nil || s.noSync {
		return stopIfDead(err)
	}
	return stopIfDead(f.Sync())
}

// compact begins a new journal, the shortest that says the same.
func (s *store) compact() error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	return s.rewrite()
}

// rewrite is compact for one whose turn it is.
func (s *store) rewrite() error {
	s.mu.Lock()
	lines, err := encode(s.state.records())
	s.mu.Unlock()
	if err != nil {
		return err
	}
	f, err := s.fs.OpenFile(journalTemp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return stopIfDead(err)
	}
	if err := s.write(f, lines); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(s.fs.Rename(journalTemp, journalName), s.fs.SyncDir("/")); err != nil {
		return stopIfDead(errors.Join(err, f.Close()))
	}
	old := s.journal
	s.journal, s.damaged = f, false
	if old != nil {
		return stopIfDead(old.Close())
	}
	return nil
}

// FirstIndex implements raft.LogStore.
func (s *store) FirstIndex() (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.first, nil
}

// LastIndex implements raft.LogStore.
func (s *store) LastIndex() (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.last, nil
}

// GetLog implements raft.LogStore.
func (s *store) GetLog(index uint64, log *raft.Log) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.state.logs[index]
	if !ok {
		return raft.ErrLogNotFound
	}
	*log = *l
	return nil
}

// StoreLog implements raft.LogStore.
func (s *store) StoreLog(log *raft.Log) error { return s.StoreLogs([]*raft.Log{log}) }

// StoreLogs implements raft.LogStore.
func (s *store) StoreLogs(logs []*raft.Log) error {
	records := make([]record, len(logs))
	for i, l := range logs {
		records[i].Log = l
	}
	return s.change(records...)
}

// DeleteRange implements raft.LogStore. Logs that a snapshot has made superfluous leave the file with the next compaction, which is now.
func (s *store) DeleteRange(first, last uint64) error {
	if err := s.change(record{Delete: &span{first, last}}); err != nil {
		return err
	}
	return s.compact()
}

// Set implements raft.StableStore.
func (s *store) Set(key, value []byte) error {
	return s.change(record{Set: &setting{string(key), value}})
}

// Get implements raft.StableStore.
func (s *store) Get(key []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.values[string(key)], nil
}

// SetUint64 implements raft.StableStore.
func (s *store) SetUint64(key []byte, value uint64) error {
	return s.Set(key, binary.BigEndian.AppendUint64(nil, value))
}

// GetUint64 implements raft.StableStore.
func (s *store) GetUint64(key []byte) (uint64, error) {
	switch value, err := s.Get(key); {
	case err != nil || len(value) == 0:
		return 0, err
	case len(value) != 8:
		return 0, fmt.Errorf("value of %s has %d bytes, want 8", key, len(value))
	default:
		return binary.BigEndian.Uint64(value), nil
	}
}
