// SPDX-License-Identifier: MPL-2.0

package etcdraft_test

import (
	"testing"

	"go.etcd.io/raft/v3"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/harness/etcdraft"
)

func TestPresets(t *testing.T) {
	for _, preset := range etcdraft.Presets() {
		t.Run(string(preset), func(t *testing.T) {
			etcdraft.Test(t, faultline.Options{}, etcdraft.Config{Preset: preset})
		})
	}
}

func TestVariants(t *testing.T) {
	for name, config := range map[string]etcdraft.Config{
		"five servers":                           {Servers: 5},
		"swarm":                                  {Swarm: true},
		"liveness":                               {Liveness: true},
		"liveness of five, without other faults": {Servers: 5, Liveness: true, Preset: etcdraft.PresetNone},
		"without pre-vote and quorum checks":     {Configure: func(c *raft.Config) { c.PreVote, c.CheckQuorum = false, false }},
		"ambushes, and reads that wait for a leader": {Ambush: true, Reads: etcdraft.ReadPatient},
		"reads through the log":                      {Reads: etcdraft.ReadLog, SnapshotEvery: -1, ChangeEvery: -1},
	} {
		t.Run(name, func(t *testing.T) {
			etcdraft.Test(t, faultline.Options{Seeds: 10}, config)
		})
	}
}
