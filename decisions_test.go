// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sim/fault"
)

// TestHelperLostUpdate fails at seeds at which one of two goroutines overwrites what the other has counted.
func TestHelperLostUpdate(t *testing.T) {
	helper(t)
	opts := goroutines(200, time.Second)
	opts.Strategy = os.Getenv("HELPER_STRATEGY")
	faultline.Run(t, opts, func(w *faultline.World) {
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			var mu sync.Mutex
			var wg sync.WaitGroup
			count := 0
			for range 2 {
				wg.Go(func() {
					mu.Lock()
					n := count
					mu.Unlock()
					mu.Lock()
					count = n + 1
					mu.Unlock()
				})
			}
			wg.Wait()
			if count != 2 {
				return errors.New("an update is lost")
			}
			return nil
		})
	})
}

func TestDecisionsAreKeptAndFollowed(t *testing.T) {
	needsSeam(t)
	for _, strategy := range []string{"", "pct"} {
		t.Run("strategy "+strategy, func(t *testing.T) {
			r := runHelper(t, "TestHelperLostUpdate", "HELPER_STRATEGY="+strategy)
			failed := r.wantFailure(t, "fail:n1")
			log := filepath.Join(failed["artifact"].(string), "decisions.txt")
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"faultline_decisions 1\nseed " + failed["seed"].(string) + "\nstrategy ", "TestHelperLostUpdate", "decisions_test.go:", "\nend "}
			for _, part := range want {
				if !strings.Contains(string(text), part) {
					t.Errorf("decisions.txt lacks %q:\n%s", part, text)
				}
			}
			again := runHelper(t, "TestHelperLostUpdate", "FAULTLINE_DECISIONS="+log)
			same := again.wantFailure(t, "fail:n1")
			if same["seed"] != failed["seed"] || same["trace_hash"] != failed["trace_hash"] || same["at_ns"] != failed["at_ns"] {
				t.Errorf("following the log: %v; recorded: %v", same, failed)
			}
			again.want(t, `decisions: followed all \d+ decisions`, `replay: .*FAULTLINE_DECISIONS=`+log)
		})
	}
}

func TestDecisionsThatDoNotFit(t *testing.T) {
	needsSeam(t)
	r := runHelper(t, "TestHelperLostUpdate")
	failed := r.wantFailure(t, "fail:n1")
	log := filepath.Join(failed["artifact"].(string), "decisions.txt")
	other := runVerbose(t, "TestHelperDeadlocked", "HELPER_DEADLOCK=locks", "FAULTLINE_DECISIONS="+log)
	other.want(t, `decisions: followed \d+ of \d+ decisions; then`)
}

func TestDecisionsWithoutExactRun(t *testing.T) {
	log := filepath.Join(t.TempDir(), "decisions.txt")
	if err := os.WriteFile(log, []byte("faultline_decisions 1\nseed 5\nend 0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := runHelper(t, "TestHelperBug", "FAULTLINE_DECISIONS="+log)
	r.want(t, `FAULTLINE_DECISIONS is set, but the test is in event mode`)
	r = runHelper(t, "TestHelperBug", "FAULTLINE_DECISIONS=/nowhere/decisions.txt")
	r.want(t, `FAULTLINE_DECISIONS=/nowhere/decisions.txt: .*; it accepts the path of a decisions.txt`)
}

func TestUnknownStrategy(t *testing.T) {
	r := runHelper(t, "TestHelperLostUpdate", "HELPER_STRATEGY=clever")
	r.want(t, `option Strategy is "clever"; it accepts one of pct, random`)
}

// TestHelperDraws fails in the end, and its trace has numbers that the runtime has drawn.
func TestHelperDraws(t *testing.T) {
	helper(t)
	faultline.Run(t, goroutines(1, 4*time.Second), func(w *faultline.World) {
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			for ctx.Err() == nil {
				p.Logf("%d", rand.Int64())
				time.Sleep(10 * time.Millisecond)
			}
			return nil
		})
		w.Plan(fault.Random{MaxDown: 1, Rules: []fault.Rule{
			{Kind: fault.KindCrash, Every: 500 * time.Millisecond, MinFor: 10 * time.Millisecond, MaxFor: 100 * time.Millisecond},
			{Kind: fault.KindCorrupt, Every: 500 * time.Millisecond},
		}})
		w.Final("never", func() error { return errors.New("as always") })
	})
}

// The faults of a schedule leave an exact run as it was under the planners: neither draws from the runtime.
func TestAReplayedScheduleGivesTheSameExactRun(t *testing.T) {
	needsSeam(t)
	line := runHelper(t, "TestHelperDraws").wantFailure(t, "final:never")
	dir := line["artifact"].(string)
	again := runHelper(t, "TestHelperDraws", "FAULTLINE_SCHEDULE="+filepath.Join(dir, "schedule.json"), "FAULTLINE_DECISIONS="+filepath.Join(dir, "decisions.txt"))
	again.want(t, `decisions: followed all \d+ decisions`)
	if same := again.wantFailure(t, "final:never"); same["trace_hash"] != line["trace_hash"] || same["events"] != line["events"] {
		t.Errorf("with the schedule %v, with the planners %v", same, line)
	}
}
