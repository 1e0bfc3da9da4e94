// SPDX-License-Identifier: MPL-2.0

//go:build race

package faultline_test

import (
	"context"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sched"
)

func TestHelperRace(t *testing.T) {
	helper(t)
	faultline.Run(t, goroutines(1, time.Second), func(w *faultline.World) {
		shared := 0
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			go func() { shared++ }()
			shared++
			return nil
		})
	})
}

// What the race detector finds in a run is a failure of that seed, with its replay line.
func TestDataRaceNamesTheSeed(t *testing.T) {
	r := runHelper(t, "TestHelperRace")
	r.want(t, `WARNING: DATA RACE`, `replay: .*FAULTLINE_SEED=0x[0-9a-f]{16} go test -v .*-race`)
	if r.code != 1 {
		t.Errorf("exit code %d, want 1\n%s", r.code, r.output)
	}
	if !sched.Available() { // else the warm-up run finds it
		r.wantFailure(t, "fail:data race")
	}
}
