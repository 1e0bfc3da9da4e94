// SPDX-License-Identifier: MPL-2.0

package etcdraft_test

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"go.etcd.io/raft/v3"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/harness/etcdraft"
	"github.com/hmdsefi/faultline/sim/fault"
)

// realBug is a bug that raft has or once had.
type realBug struct {
	name   string   // also where it is described
	undos  []undo   // bring it back; none if raft has it
	config string   // of configs
	checks []string // one of these must catch it; none if it is caught too seldom to insist
	seeds  int      // within so many seeds; 0 means 200
}

// configs are the configurations that the bugs are hunted with.
var configs = map[string]etcdraft.Config{
	"default": {},
	// Reads wait for new leaders, of which there are many.
	"reads": {Clients: 5, Keys: 3, Think: 80 * time.Millisecond, Reads: etcdraft.ReadPatient, ChangeEvery: time.Second, Ambush: true},
	// Members change all the time.
	"changes": {ChangeEvery: 400 * time.Millisecond, Think: 100 * time.Millisecond},
	// And leaders fail as soon as they have applied a change.
	"ambushed changes": {ChangeEvery: 400 * time.Millisecond, Think: 400 * time.Millisecond, Ambush: true},
	// Snapshots reach raft while a change of members waits to be applied.
	"eager": {
		EagerSnapshots: true, SnapshotEvery: 8, ChangeEvery: 500 * time.Millisecond, Think: 50 * time.Millisecond, Preset: etcdraft.PresetNone,
		Planners: []fault.Planner{fault.Random{MaxDown: 1, Rules: []fault.Rule{{
			Kind: fault.KindPause, Role: "followers", Every: 2 * time.Second, MinFor: 500 * time.Millisecond, MaxFor: 4 * time.Second,
		}}}},
	},
	// Pre-vote comes on with the restarts of servers that are cut off for long.
	"migration": {ChangeEvery: -1, Configure: preVoteLater, Planners: cutOff},
	// And in the end the leader may stay away.
	"lonely migration": {ChangeEvery: -1, Configure: preVoteLater, Planners: cutOff, Liveness: true},
}

// preVoteLater turns pre-vote on in a server that restarts with a snapshot.
func preVoteLater(c *raft.Config) { c.PreVote, c.CheckQuorum = c.Applied > 1, false }

// cutOff cuts off and restarts servers that do not lead.
var cutOff = []fault.Planner{fault.Random{MaxDown: 1, Rules: []fault.Rule{
	{Kind: fault.KindIsolate, Role: "followers", Every: 6 * time.Second, MinFor: 3 * time.Second, MaxFor: 12 * time.Second},
	{Kind: fault.KindCrash, Role: "followers", Every: 3 * time.Second, MinFor: 50 * time.Millisecond, MaxFor: time.Second},
}}}

var realBugs = []realBug{
	{
		name:   "a new leader confirms reads before it knows the commit (etcd issue 7331)",
		undos:  []undo{{"raft.go", "stepLeader", condition, "committedEntryInCurrentTerm", "false"}},
		config: "reads",
		checks: []string{"linearizable history"},
		seeds:  100,
	},
	{
		name:   "committed entries that do not fit a page are skipped (etcd pull 10063)",
		undos:  []undo{{"rawnode.go", "acceptReady", assignment, "GetIndex", "max(ents[0].GetIndex(), rn.raft.raftLog.committed)"}},
		checks: []string{"ready contract"},
		seeds:  20,
	},
	{
		name:   "a learner campaigns and leads",
		undos:  []undo{{"raft.go", "promotable", result, "IsLearner", "pr != nil"}},
		checks: []string{"leader is voter"},
		seeds:  20,
	},
	{
		name:   "a joint configuration is never left after a change of leader (etcd issue 12136)",
		undos:  []undo{{"raft.go", "appliedTo", condition, "AutoLeave", "r.trk.Config.AutoLeave && oldApplied < r.pendingConfIndex && newApplied >= r.pendingConfIndex && r.state == StateLeader"}},
		config: "ambushed changes",
		checks: []string{"progress after the faults"},
		seeds:  100,
	},
	{
		name: "a joint configuration is left twice (etcd issue 12582)",
		undos: []undo{
			{"raft.go", "stepLeader", assignment, "uint64(i)", "r.pendingConfIndex"},
		},
		config: "changes",
		checks: []string{"go.etcd.io/raft/v3.(*raft).applyConfChange"}, // it panics
		seeds:  20,
	},
	{
		name:   "servers of different terms block each other's pre-vote (etcd issue 8501)",
		undos:  []undo{{"raft.go", "Step", condition, "m.GetType() == pb.MsgPreVote", "false"}},
		config: "lonely migration",
		checks: []string{"progress after the faults"},
	},
	{
		name:   "a server with a higher term is never heard with pre-vote (etcd issue 8243)",
		undos:  []undo{{"raft.go", "Step", condition, "r.preVote) &&", "false"}},
		config: "migration",
		checks: []string{"replicas agree", "acknowledged writes survive"},
	},
	{
		name:   "a server campaigns before it has applied a change of members (etcd issue 7280)",
		undos:  []undo{{"raft.go", "hup", condition, "hasUnappliedConfChanges", "false"}},
		config: "changes",
	},
	{
		name:  "a rejection moves the next entry to send before those that match (raft pull 149)",
		undos: []undo{{"tracker/progress.go", "MaybeDecrTo", assignment, "matchHint", "max(min(rejected, matchHint+1), 1)"}},
	},
	{
		name:   "a server with a snapshot on its way to the disk campaigns",
		undos:  []undo{{"raft.go", "promotable", result, "hasNextOrInProgressSnapshot", "pr != nil && !pr.IsLearner"}},
		config: "changes",
	},
}

// TestRealBugHelper runs the harness in the configuration that the environment
// names. Other tests run it, in binaries with a broken raft.
func TestRealBugHelper(t *testing.T) {
	name := os.Getenv("ETCDRAFT_TEST_CONFIG")
	if name == "" {
		t.Skip("a helper of TestRealBugs")
	}
	etcdraft.Test(t, faultline.Options{}, configs[name])
}

func TestRealBugs(t *testing.T) {
	if testing.Short() || os.Getenv("ETCDRAFT_REAL_BUGS") == "" {
		t.Skip("builds raft several times; set ETCDRAFT_REAL_BUGS=1")
	}
	for _, bug := range realBugs {
		t.Run(bug.name, func(t *testing.T) {
			binary := os.Args[0]
			if bug.undos != nil {
				binary = buildWith(t, bug.undos)
			}
			last := runHelper(t, binary, "TestRealBugHelper", "ETCDRAFT_TEST_CONFIG="+bug.configName(), "FAULTLINE_SEEDS="+strconv.Itoa(cmp.Or(bug.seeds, 200)))
			t.Logf("seed %d: %s %s %q %s", last.Index+1, last.Status, last.Kind, last.Check, last.Message)
			switch {
			case len(bug.checks) == 0:
			case last.Status != "fail" || !slices.Contains(bug.checks, last.Check):
				t.Errorf("want a failure of %q", bug.checks)
			}
		})
	}
}

func (b realBug) configName() string {
	if b.config == "" {
		return "default"
	}
	return b.config
}
