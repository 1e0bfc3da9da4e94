// SPDX-License-Identifier: MPL-2.0

package etcdraft_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/harness/etcdraft"
)

// TestScheduleHelper fails after a while, under all kinds of planners.
func TestScheduleHelper(t *testing.T) {
	if os.Getenv("ETCDRAFT_TEST_SCHEDULE") == "" {
		t.Skip("a helper of TestScheduleReplaysTheFailure")
	}
	config := etcdraft.Config{Bug: etcdraft.BugSnapshotOffByOne, SnapshotEvery: 100, Ambush: true, Swarm: true}
	etcdraft.Test(t, faultline.Options{Seeds: bugSeeds}, config)
}

// TestScheduleReplaysTheFailure runs a failing seed again from the schedule of its
// artifact, without planners.
func TestScheduleReplaysTheFailure(t *testing.T) {
	root := t.TempDir()
	const on = "ETCDRAFT_TEST_SCHEDULE=1"
	first := runHelper(t, os.Args[0], "TestScheduleHelper", on, "FAULTLINE_ARTIFACTS="+root)
	schedules, err := filepath.Glob(filepath.Join(root, "*", "*", "*", "schedule.json"))
	if err != nil || len(schedules) != 1 {
		t.Fatalf("the artifacts have the schedules %q, %v", schedules, err)
	}
	again := runHelper(t, os.Args[0], "TestScheduleHelper", on, "FAULTLINE_SEED="+first.Seed, "FAULTLINE_SCHEDULE="+schedules[0])
	again.Index = first.Index
	if first.Status != "fail" || again != first {
		t.Errorf("first %+v\nagain %+v", first, again)
	}
}
