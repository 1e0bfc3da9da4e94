// SPDX-License-Identifier: MPL-2.0

package hashiraft

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"sync"

	"github.com/hashicorp/raft"
)

// Op is what a client asks.
type Op string

// The operations.
const (
	Get Op = "get"
	Put Op = "put"
	CAS Op = "cas" // sets Value if the key has Old

	Applied Op = "applied" // how far the server that is asked has applied the log
)

// Command is one operation with its arguments. The value of a key that was never set is empty.
type Command struct {
	Op    Op
	Key   string
	Value string `json:",omitempty"`
	Old   string `json:",omitempty"`
}

// Result is what an operation gives.
type Result struct {
	Value   string `json:",omitempty"` // that Get, CAS or Applied found
	Swapped bool   `json:",omitempty"` // by CAS
}

// machine is the replicated state machine, a map.
type machine struct {
	onApply func(log *raft.Log)

	mu     sync.Mutex
	values map[string]string
}

// Apply implements raft.FSM.
func (m *machine) Apply(log *raft.Log) any {
	var c Command
	if err := json.Unmarshal(log.Data, &c); err != nil {
		return err
	}
	if m.onApply != nil {
		m.onApply(log)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch c.Op {
	case Get:
		return Result{Value: m.values[c.Key]}
	case Put:
		m.values[c.Key] = c.Value
		return Result{}
	case CAS:
		found := m.values[c.Key]
		if found == c.Old {
			m.values[c.Key] = c.Value
		}
		return Result{Value: found, Swapped: found == c.Old}
	default:
		return fmt.Errorf("operation %q: accepted are get, put and cas", c.Op)
	}
}

func (m *machine) get(key string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.values[key]
}

// Snapshot implements raft.FSM.
func (m *machine) Snapshot() (raft.FSMSnapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return state(maps.Clone(m.values)), nil
}

// Restore implements raft.FSM.
func (m *machine) Restore(r io.ReadCloser) error {
	values := map[string]string{}
	if err := json.NewDecoder(r).Decode(&values); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values = values
	return nil
}

// state is the map at one moment.
type state map[string]string

// Persist implements raft.FSMSnapshot.
func (s state) Persist(sink raft.SnapshotSink) error {
	if err := json.NewEncoder(sink).Encode(s); err != nil {
		return err
	}
	return sink.Close()
}

// Release implements raft.FSMSnapshot.
func (state) Release() {}
