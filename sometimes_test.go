// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// TestHelperGoals declares three goals: one is reached, one by few seeds, one never.
func TestHelperGoals(t *testing.T) {
	helper(t)
	faultline.Run(t, faultline.Options{Seeds: 10, Duration: time.Second}, func(w *faultline.World) {
		w.Sometimes("always")
		w.Sometimes("rarely")
		w.Sometimes("in vain")
		w.AddServer("n1", func(n *kernel.Node) {
			w.Reached("always")
			w.Reached("always")
			w.Reached("not declared")
			if kernel.Chance(w.Rand("luck"), 300_000) {
				w.Reached("rarely")
			}
		})
	})
}

func TestGoals(t *testing.T) {
	for _, test := range []struct {
		name, env string
		code      int
		all       bool // seeds of the list
		says      string
	}{
		{"all seeds", "FAULTLINE_SEEDS=10", 1, true, `faultline: 10 seeds never reached "in vain"\n`},
		{"one seed", "FAULTLINE_SEED=1", 0, false, `faultline: 1 seed never reached "in vain"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := runVerbose(t, "TestHelperGoals", test.env)
			if r.code != test.code {
				t.Errorf("exit code %d, want %d\n%s", r.code, test.code, r.output)
			}
			r.want(t, test.says)
			rarely := 0.0
			for _, line := range r.results {
				counts := line["reached"].(map[string]any)
				if counts["always"] != 2.0 || counts["not declared"] != 1.0 || counts["in vain"] != 0.0 {
					t.Errorf("results line with %v", counts)
				}
				rarely += counts["rarely"].(float64)
			}
			if test.all && (rarely == 0 || rarely == 10) {
				t.Errorf("%v of 10 seeds reached the rare goal", rarely)
			}
		})
	}
}

// TestHelperGoalTwice declares a goal twice.
func TestHelperGoalTwice(t *testing.T) {
	helper(t)
	faultline.Run(t, faultline.Options{}, func(w *faultline.World) {
		w.Sometimes("again")
		w.Sometimes("again")
	})
}

// TestHelperGoalWithoutName declares a goal that has no name.
func TestHelperGoalWithoutName(t *testing.T) {
	helper(t)
	faultline.Run(t, faultline.Options{}, func(w *faultline.World) { w.Sometimes("") })
}

func TestGoalsAreChecked(t *testing.T) {
	runHelper(t, "TestHelperGoalTwice").want(t, `there are two goals "again"; each needs a name of its own`)
	runHelper(t, "TestHelperGoalWithoutName").want(t, `World.Sometimes was given an empty name`)
}
