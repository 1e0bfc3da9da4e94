// SPDX-License-Identifier: MPL-2.0

package exactness_test

import (
	"context"
	"os"
	"runtime"
	"testing"

	"github.com/hmdsefi/faultline/conformance/exactness"
	"github.com/hmdsefi/faultline/conformance/ingredients"
)

// binary is the ingredient programs built through the wrapper.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "faultline-exactness-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		if binary, err = (exactness.Build{Package: exactness.Ingredients}).Make(context.Background(), dir); err != nil {
			panic(err)
		}
		return m.Run()
	}())
}

// measure runs the programs one after the other in each of some processes.
func measure(t *testing.T, programs []string, seed uint64, runs int) exactness.Results {
	t.Helper()
	return exactness.Sample{
		Binary: binary, Ingredients: programs, Seed: seed, Runs: runs, Parallel: runtime.NumCPU(),
	}.Measure(t.Context())
}

// One seed gives one run, in every process.
func TestEachProgramIsExact(t *testing.T) {
	const runs = 10
	var names []string
	for _, in := range ingredients.All() {
		names = append(names, in.Name)
	}
	results := measure(t, names, 1, runs)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			r := results[name]
			if r.Error != nil {
				t.Fatal(r.Error)
			}
			if r.Distinct() != 1 || r.Inexact > 0 {
				t.Errorf("%d processes saw %d different things, %d ran not exactly", runs, r.Distinct(), r.Inexact)
			}
		})
	}
}

// A seed of a whole service gives the same run in fresh processes and in any place of a list.
func TestServiceIsExactInEveryPlace(t *testing.T) {
	build := exactness.Build{Package: "github.com/hmdsefi/faultline/examples/kv"}
	service, err := build.Make(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, err := build.Dir(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	starts := exactness.Starts{Binary: service, Dir: dir, Test: "^TestKV$", Seeds: 3}
	if got, err := starts.Compare(t.Context()); err != nil || got != (exactness.Outcome{}) {
		t.Errorf("%+v, %v; want none to fail or differ", got, err)
	}
}

// Seeds are worth trying: they differ in what runs first, what a lock lets pass, how a map is walked, what rand says.
func TestSeedsDiffer(t *testing.T) {
	const seeds = 8
	names := []string{"buffered channel", "Mutex", "RWMutex", "AfterFuncs of one instant", "select among ready",
		"map[string]", "map[pointer]", "math/rand/v2", "crypto/rand", "net/http over net.Pipe"}
	seen := map[string]map[string]bool{}
	for seed := range uint64(seeds) {
		for name, r := range measure(t, names, seed, 1) {
			if r.Error != nil {
				t.Fatal(r.Error)
			}
			if seen[name] == nil {
				seen[name] = map[string]bool{}
			}
			for log := range r.Seen {
				seen[name][log] = true
			}
		}
	}
	for _, name := range names {
		if n := len(seen[name]); n < seeds/2 {
			t.Errorf("%s: %d seeds gave %d different runs", name, seeds, n)
		}
	}
}
