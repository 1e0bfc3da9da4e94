// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/hmdsefi/faultline/sim/fault"
)

func TestConfigIsChecked(t *testing.T) {
	for _, test := range []struct {
		config Config
		want   string // "" accepts it
	}{
		{Config{}, ""},
		{Config{Servers: 5, Spares: -1, SnapshotEvery: -1, ChangeEvery: -1, Preset: PresetNone, Bug: BugSkipSync}, ""},
		{Config{Servers: 4}, "Config.Servers is 4; it accepts 3 or 5"},
		{Config{Spares: 5}, "Config.Spares is 5"},
		{Config{Clients: -1}, "Config.Clients is -1"},
		{Config{Keys: 1001}, "Config.Keys is 1001"},
		{Config{Think: -1}, "Config.Think is -1ns"},
		{Config{Reads: "often"}, `Config.Reads is "often"; it accepts "mixed", "index", "log", "patient"`},
		{Config{Preset: "hell"}, `Config.Preset is "hell"; it accepts "default", "network", "crash", "none"`},
		{Config{Bug: "typo"}, `Config.Bug is "typo"`},
		{Config{Planners: []fault.Planner{nil}}, "Config.Planners is a list with nil"},
		{Config{Duration: time.Second}, "Config.Duration is 1s; it accepts 0 (the default) or at least 40s"},
	} {
		err := test.config.Validate()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: %v, want %q", test.config, err, test.want)
		}
	}
	if err := (Config{Servers: 2, Keys: -1}).Validate(); strings.Count(err.Error(), "etcdraft:") != 2 {
		t.Errorf("two mistakes give %q", err)
	}
}

func TestConfigurations(t *testing.T) {
	c := &pb.ConfState{Voters: []uint64{3, 1}, VotersOutgoing: []uint64{1, 2}, Learners: []uint64{4}, LearnersNext: []uint64{2}, AutoLeave: new(true)}
	if got := confText(c); got != "1 3 / 1 2 learners 4 next 2 auto" {
		t.Errorf("described as %q", got)
	}
	for id, want := range map[uint64][3]bool{1: {true, false, true}, 2: {true, false, true}, 3: {true, false, true}, 4: {false, true, true}, 5: {}} {
		if got := [3]bool{votes(c, id), learns(c, id), belongs(c, id)}; got != want {
			t.Errorf("%d votes, learns, belongs: %v, want %v", id, got, want)
		}
	}
	odd := func(id uint64) bool { return id%2 == 1 }
	for _, test := range []struct {
		ids  []uint64
		want bool
	}{{nil, true}, {[]uint64{1}, true}, {[]uint64{1, 2}, false}, {[]uint64{1, 2, 3}, true}, {[]uint64{1, 2, 3, 4}, false}} {
		if got := majority(test.ids, odd); got != test.want {
			t.Errorf("most of %v are odd: %v", test.ids, got)
		}
	}
}
