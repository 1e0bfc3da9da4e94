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

// TestHelperRaceOfOneSeed has a data race at seed 2 alone.
func TestHelperRaceOfOneSeed(t *testing.T) {
	helper(t)
	faultline.Run(t, goroutines(1, time.Second), func(w *faultline.World) {
		shared := 0
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			if w.Sim.Seed() == 2 {
				go func() { shared++ }()
			}
			shared++
			return nil
		})
	})
}

// Each seed has a race detector of its own, which tells a race once in a process.
func TestDataRaceOfAnIsolatedSeed(t *testing.T) {
	r := runHelper(t, "TestHelperRaceOfOneSeed", "FAULTLINE_ISOLATE=1", "FAULTLINE_SEED_LIST=1,2,3,2")
	if len(r.results) != 4 {
		t.Fatalf("results %v\n%s", r.results, r.output)
	}
	for i, line := range r.results {
		if (line["signature"] == "fail:data race") != (i%2 == 1) {
			t.Errorf("results line %v", line)
		}
	}
	r.want(t, `WARNING: DATA RACE`, `fresh run: replay verified`)
}

// TestHelperRaceInEventMode races in event mode, where nothing but package testing takes notice.
func TestHelperRaceInEventMode(t *testing.T) {
	helper(t)
	faultline.Run(t, second, func(w *faultline.World) {
		if w.Sim.Seed() != 2 {
			return
		}
		shared, done := 0, make(chan bool)
		go func() { shared++; close(done) }()
		shared++
		<-done
	})
}

func TestDataRaceInEventMode(t *testing.T) {
	for _, isolate := range []string{"0", "1"} {
		r := runHelper(t, "TestHelperRaceInEventMode", "FAULTLINE_ISOLATE="+isolate, "FAULTLINE_SEED_LIST=1,2,3")
		line := r.wantFailure(t, "fail:data race")
		if len(r.results) != 3 || line["index"] != 1.0 {
			t.Errorf("FAULTLINE_ISOLATE=%s: results %v", isolate, r.results)
		}
		r.want(t, `(Read|Write) at 0x[0-9a-f]+ by goroutine`, `fresh run: replay verified`)
	}
}
