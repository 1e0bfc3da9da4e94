// SPDX-License-Identifier: MPL-2.0

package exactness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Starts says which seeds of which test are compared.
type Starts struct {
	Binary string // that Build.Make made
	Dir    string // of its package, where it runs
	Test   string // pattern that names the test
	Seeds  int    // the seeds are 1 to this
}

// Outcome is what the seeds gave.
type Outcome struct {
	Fails       int // seeds that failed, in their first process
	NotExact    int // seeds that ran, but not exactly
	FreshDiffer int // seeds that two fresh processes ran differently
	ListDiffers int // seeds that ran within the list otherwise than in a fresh process
	Isolated    int // seeds that ran in a list of isolated ones otherwise than in a fresh process
}

// seedRun is what a results line says of a seed.
type seedRun struct {
	Seed      string `json:"seed"`
	Status    string `json:"status"`
	Signature string `json:"signature"`
	Events    int    `json:"events"`
	TraceHash string `json:"trace_hash"`
	Level     string `json:"determinism_level"`
}

// Compare runs every seed in two fresh processes, all of them in one more, and all of them once more in one process each.
func (s Starts) Compare(ctx context.Context) (Outcome, error) {
	var o Outcome
	seeds := make([]string, s.Seeds)
	for i := range seeds {
		seeds[i] = fmt.Sprint(i + 1)
	}
	var lists [2][]seedRun // in one process, and in one for each
	for n := range lists {
		runs, err := s.start(ctx, "FAULTLINE_SEED_LIST="+strings.Join(seeds, ","), fmt.Sprint("FAULTLINE_ISOLATE=", n))
		if err != nil {
			return o, err
		}
		if len(runs) != s.Seeds {
			return o, fmt.Errorf("the list gave %d results for %d seeds", len(runs), s.Seeds)
		}
		lists[n] = runs
	}
	for i, seed := range seeds {
		var fresh [2]seedRun
		for n := range fresh {
			runs, err := s.start(ctx, "FAULTLINE_SEED="+seed)
			if err != nil {
				return o, err
			}
			if len(runs) != 1 {
				return o, fmt.Errorf("seed %s gave %d results", seed, len(runs))
			}
			fresh[n] = runs[0]
		}
		o.add(fresh, lists[0][i], lists[1][i])
	}
	return o, nil
}

func (o *Outcome) add(fresh [2]seedRun, listed, isolated seedRun) {
	count := func(counter *int, yes bool) {
		if yes {
			*counter++
		}
	}
	count(&o.Fails, fresh[0].Status == "fail")
	count(&o.NotExact, fresh[0].Level != "exact")
	count(&o.FreshDiffer, fresh[0] != fresh[1])
	count(&o.ListDiffers, fresh[0] != listed)
	count(&o.Isolated, fresh[0] != isolated)
}

// start runs the test once and returns its results lines.
func (s Starts) start(ctx context.Context, seeds ...string) ([]seedRun, error) {
	temp, err := os.MkdirTemp("", "exactness-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	results := filepath.Join(temp, "results.jsonl")
	cmd := exec.CommandContext(ctx, s.Binary, "-test.run="+s.Test, "-test.timeout=2h")
	cmd.Dir = s.Dir
	cmd.Env = append(os.Environ(), "FAULTLINE_RESULTS="+results, "FAULTLINE_ARTIFACTS=off", "TMPDIR="+temp)
	cmd.Env = append(cmd.Env, seeds...)
	out, runErr := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); runErr != nil && (!errors.As(runErr, &exit) || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("%s: %w\n%s", seeds, runErr, out) // 1 is a test that failed
	}
	text, err := os.ReadFile(results)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: the test wrote no results\n%s", seeds, out)
	}
	if err != nil {
		return nil, err
	}
	return parse(text)
}

func parse(text []byte) ([]seedRun, error) {
	var runs []seedRun
	for line := range bytes.Lines(text) {
		var r seedRun
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("results line %d: %w", len(runs)+1, err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}
