// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.etcd.io/raft/v3"

	"github.com/hmdsefi/faultline/sim/fault"
)

// Defaults of [Config].
const (
	DefaultServers       = 3
	DefaultSpares        = 2
	DefaultClients       = 3
	DefaultKeys          = 5
	DefaultThink         = 200 * time.Millisecond
	DefaultSnapshotEvery = 40
	DefaultChangeEvery   = 4 * time.Second
	DefaultDuration      = time.Minute

	// MinDuration is the shortest run that leaves time for elections after the
	// faults.
	MinDuration = 40 * time.Second
)

// Config says what cluster is tested and how. The zero value is a cluster of three
// servers and two spare ones with three clients under the default faults.
type Config struct {
	// Servers is the number of voters at first, 3 or 5; 0 means 3.
	Servers int

	// Spares is the number of further servers that can become members; 0 means 2,
	// negative none.
	Spares int

	// Clients is the number of clients, each with one operation at a time; 0 means 3.
	Clients int

	// Keys is the number of keys that the clients share; 0 means 5.
	Keys int

	// Think is the mean time that a client waits between two operations; 0 means
	// 200 ms.
	Think time.Duration

	// Reads says how gets are served; "" means ReadMixed.
	Reads Reads

	// SnapshotEvery is the number of applied entries after which a server takes a
	// snapshot and drops the log before it; 0 means 40, negative never.
	SnapshotEvery int

	// ChangeEvery is the mean time between the operator's interventions: members
	// added, promoted, demoted, exchanged and removed, leadership transferred. 0
	// means 4 s, negative never.
	ChangeEvery time.Duration

	// Preset chooses the faults; "" means PresetDefault.
	Preset Preset

	// Swarm turns only some of the preset's rules on in each run, see fault.Random.
	Swarm bool

	// Liveness leaves only a majority of the servers in order for the last quarter of
	// the run, see Core of fault.Random: it must make progress while the others are
	// down, paused or cut off. There are no spare servers and no changes of members then.
	Liveness bool

	// Ambush adds faults that wait for their moment: a server is crashed or cut off right
	// after it has become a candidate or the leader, or, as the leader, has entered a
	// joint configuration.
	Ambush bool

	// Planners plan faults besides those of the preset.
	Planners []fault.Planner

	// Bug breaks the servers in a known way, to see that the checks notice; ""
	// breaks nothing.
	Bug Bug

	// EagerSnapshots hands raft a snapshot that arrives while a change of members waits
	// to be applied, which raft's own Node does and its contract allows. raft v3.7.0 can
	// then end up with other members than its snapshot says (etcd issue 11510), so that
	// seeds fail. Otherwise such a snapshot waits for the change.
	EagerSnapshots bool

	// Configure changes raft's configuration of a server before each of its starts;
	// nil leaves it: PreVote, CheckQuorum and StepDownOnRemoval on, small messages.
	// ID, Storage, Applied, Logger and AsyncStorageWrites are the harness's; ID and Applied
	// can be read.
	Configure func(*raft.Config)

	// Duration is the length of the run in virtual time. Test takes it from
	// faultline.Options; New needs it: 0 means one minute.
	Duration time.Duration
}

// Reads says how a server serves a get.
type Reads string

// The ways to serve a get.
const (
	ReadMixed Reads = "mixed" // either of the others, drawn per get
	ReadIndex Reads = "index" // through raft's ReadIndex
	ReadLog   Reads = "log"   // as an entry of the log

	// Through raft's ReadIndex, and a server that knows no leader keeps the get until
	// it does, as etcd's do. So a leader has gets to serve as soon as it is one.
	ReadPatient Reads = "patient"
)

// Bug is a way to break the servers on purpose.
type Bug string

// The bugs.
const (
	BugSendBeforePersist Bug = "send before persist" // messages leave before the log is on the disk
	BugSkipSync          Bug = "skip sync"           // the log is written, never synced
	BugApplyBeforeCommit Bug = "apply before commit" // entries are applied once they are in the log
	BugForgetHardState   Bug = "forget hard state"   // term and vote are gone after a restart
	BugSnapshotOffByOne  Bug = "snapshot off by one" // a snapshot says that it ends one entry earlier
)

// Bugs returns all bugs.
func Bugs() []Bug {
	return []Bug{BugSendBeforePersist, BugSkipSync, BugApplyBeforeCommit, BugForgetHardState, BugSnapshotOffByOne}
}

// Validate returns an error that names every field that is out of range and what
// it accepts.
func (c Config) Validate() error {
	c = c.withDefaults()
	return errors.Join(
		check(c.Servers == 3 || c.Servers == 5, "Servers", c.Servers, "3 or 5"),
		check(c.Spares <= 4, "Spares", c.Spares, "at most 4"),
		check(c.Clients >= 1 && c.Clients <= 20, "Clients", c.Clients, "1 to 20"),
		check(c.Keys >= 1 && c.Keys <= 1000, "Keys", c.Keys, "1 to 1000"),
		check(c.Think > 0, "Think", c.Think, "0 (the default) or a positive duration"),
		oneOf("Reads", c.Reads, []Reads{ReadMixed, ReadIndex, ReadLog, ReadPatient}),
		oneOf("Preset", c.Preset, Presets()),
		oneOf("Bug", c.Bug, append([]Bug{""}, Bugs()...)),
		check(!slices.Contains(c.Planners, nil), "Planners", "a list with nil", "planners"),
		check(c.Duration >= MinDuration, "Duration", c.Duration, "0 (the default) or at least "+MinDuration.String()),
	)
}

func check(ok bool, field string, value any, accepts string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("etcdraft: Config.%s is %v; it accepts %s", field, value, accepts)
}

func oneOf[T ~string](field string, value T, accepted []T) error {
	quoted := make([]string, len(accepted))
	for i, v := range accepted {
		quoted[i] = fmt.Sprintf("%q", string(v))
	}
	return check(slices.Contains(accepted, value), field, fmt.Sprintf("%q", string(value)), strings.Join(quoted, ", "))
}

// withDefaults fills in what a zero value stands for and makes negative numbers 0
// where they mean none.
func (c Config) withDefaults() Config {
	c.Servers = cmp.Or(c.Servers, DefaultServers)
	c.Spares = max(0, cmp.Or(c.Spares, DefaultSpares))
	c.Clients = cmp.Or(c.Clients, DefaultClients)
	c.Keys = cmp.Or(c.Keys, DefaultKeys)
	c.Think = cmp.Or(c.Think, DefaultThink)
	c.Reads = cmp.Or(c.Reads, ReadMixed)
	c.SnapshotEvery = max(0, cmp.Or(c.SnapshotEvery, DefaultSnapshotEvery))
	c.ChangeEvery = max(0, cmp.Or(c.ChangeEvery, DefaultChangeEvery))
	c.Preset = cmp.Or(c.Preset, PresetDefault)
	c.Duration = cmp.Or(c.Duration, DefaultDuration)
	if c.Liveness {
		c.Spares, c.ChangeEvery = 0, 0
	}
	return c
}
