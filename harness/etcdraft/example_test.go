// SPDX-License-Identifier: MPL-2.0

package etcdraft_test

import (
	"testing"
	"time"

	"go.etcd.io/raft/v3"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/harness/etcdraft"
	"github.com/hmdsefi/faultline/sim/fault"
)

var t *testing.T // the parameter of a test function

// Five servers without pre-vote, under crashes.
func ExampleTest() {
	etcdraft.Test(t, faultline.Options{Seeds: 100}, etcdraft.Config{
		Servers:   5,
		Preset:    etcdraft.PresetCrash,
		Configure: func(c *raft.Config) { c.PreVote = false },
	})
}

// A world of one's own: only the leader is paused, and a check is added.
func ExampleNew() {
	opts := faultline.Options{Duration: time.Minute}
	faultline.Run(t, opts, func(w *faultline.World) {
		cluster, err := etcdraft.New(w, etcdraft.Config{Duration: opts.Duration, Preset: etcdraft.PresetNone})
		if err != nil {
			w.T().Fatal(err)
		}
		w.Plan(fault.Random{Rules: []fault.Rule{{
			Kind: fault.KindPause, Role: "leader", Every: 3 * time.Second, MinFor: time.Second, MaxFor: 2 * time.Second,
		}}})
		w.Final("a leader is there", func() error {
			if cluster.Leader() == nil {
				w.T().Error("none")
			}
			return nil
		})
	})
}
