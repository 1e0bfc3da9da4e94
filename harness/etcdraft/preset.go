// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"slices"
	"time"

	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// Preset is a ready choice of faults.
type Preset string

// The presets.
const (
	PresetDefault Preset = "default" // all of the others and clocks, pauses, failing syncs and full disks
	PresetNetwork Preset = "network" // partitions, cuts and bad links
	PresetCrash   Preset = "crash"   // crashes of any server, often of the leader
	PresetNone    Preset = "none"    // no faults
)

// Presets returns all presets.
func Presets() []Preset {
	return []Preset{PresetDefault, PresetNetwork, PresetCrash, PresetNone}
}

// bad is a link that delays, reorders, loses and doubles.
var bad = simnet.LinkConfig{
	Latency: 2 * time.Millisecond, Jitter: 60 * time.Millisecond,
	Tail: time.Second, TailPPM: 20_000, DropPPM: 100_000, DupPPM: 50_000,
}

func rule(kind fault.Kind, role string, every, atLeast, atMost time.Duration) fault.Rule {
	return fault.Rule{Kind: kind, Role: role, Every: every, MinFor: atLeast, MaxFor: atMost}
}

func networkRules() []fault.Rule {
	link := rule(fault.KindLink, "", 3*time.Second, 500*time.Millisecond, 8*time.Second)
	link.Link = bad
	return []fault.Rule{
		rule(fault.KindPartition, fault.AllNodes, 10*time.Second, time.Second, 6*time.Second),
		rule(fault.KindIsolate, roleLeader, 12*time.Second, time.Second, 5*time.Second),
		rule(fault.KindCut, "", 6*time.Second, time.Second, 6*time.Second),
		link,
	}
}

func crashRules() []fault.Rule {
	return []fault.Rule{
		rule(fault.KindCrash, "", 5*time.Second, 50*time.Millisecond, 4*time.Second),
		rule(fault.KindCrash, roleLeader, 8*time.Second, 50*time.Millisecond, 4*time.Second),
	}
}

func otherRules() []fault.Rule {
	return []fault.Rule{
		rule(fault.KindPause, "", 10*time.Second, 100*time.Millisecond, 4*time.Second),
		rule(fault.KindClockDrift, "", 10*time.Second, time.Second, 10*time.Second),
		rule(fault.KindClockJump, "", 10*time.Second, 0, 0),
		rule(fault.KindSyncFail, "", 15*time.Second, 0, 0),
		rule(fault.KindDiskCapacity, "", 20*time.Second, 500*time.Millisecond, 3*time.Second),
	}
}

// planner returns the planner of the preset's faults.
func (c Config) planner() fault.Planner {
	rules := map[Preset][]fault.Rule{
		PresetDefault: slices.Concat(networkRules(), crashRules(), otherRules()),
		PresetNetwork: networkRules(),
		PresetCrash:   crashRules(),
	}[c.Preset]
	if rules == nil && !c.Liveness {
		return fault.None()
	}
	r := fault.Random{MaxDown: (c.Servers - 1) / 2, Swarm: c.Swarm, Rules: rules}
	if c.Liveness {
		r.Core = c.Servers/2 + 1
	}
	return r
}
