// SPDX-License-Identifier: MPL-2.0

// Package exactness measures how exact runs are. It builds the ingredient programs, through the wrapper or without it,
// runs each in many processes with one seed, and counts how many different things they saw: one is exact. And it compares
// the runs that a seed of a test gives in fresh processes and within a list of seeds.
package exactness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

const (
	module = "github.com/hmdsefi/faultline"

	// Ingredients is the package of the ingredient programs.
	Ingredients = module + "/conformance/ingredients"
)

// Build says how a test binary is built.
type Build struct {
	Package string // whose tests
	Plain   bool   // without the wrapper
	Race    bool   // with the race detector
	Root    string // folder in which the package is built; empty is the current one
	Wrapper string // path of the wrapper; empty means to build one
}

// Make builds the test binary in dir and returns its path.
func (b Build) Make(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "package.test")
	args := []string{"test", "-c", "-o", binary}
	if b.Race {
		args = append(args, "-race")
	}
	args = append(args, b.Package)
	if b.Plain {
		return binary, run(ctx, b.Root, "go", args...)
	}
	wrapper, err := b.wrapper(ctx, dir)
	if err != nil {
		return "", err
	}
	return binary, run(ctx, b.Root, wrapper, args...)
}

func (b Build) wrapper(ctx context.Context, dir string) (string, error) {
	if b.Wrapper != "" {
		return filepath.Abs(b.Wrapper)
	}
	wrapper := filepath.Join(dir, "faultline-toolexec")
	return wrapper, run(ctx, "", "go", "build", "-o", wrapper, module+"/cmd/faultline-toolexec")
}

// Dir returns the folder of the package, where its tests run.
func (b Build) Dir(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", b.Package).Output()
	if err != nil {
		return "", fmt.Errorf("go list %s: %w", b.Package, err)
	}
	return strings.TrimSpace(string(out)), nil
}

func run(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}

// Sample says which programs run, and how often.
type Sample struct {
	Binary      string   // that Build.Make made
	Ingredients []string // each process runs these, one after the other
	Seed        uint64
	Runs        int      // processes
	Parallel    int      // processes at a time; 0 means one
	Env         []string // added to the environment of each process
}

// Result counts what the processes of a sample saw of one program.
type Result struct {
	Processes int
	Seen      map[string]int // how many processes logged this
	Inexact   int            // processes that ran but not exactly
	Failed    int            // processes that did not come to the program's end
	Error     error          // of one of those
}

// Distinct is the number of different things that the processes saw; a process that failed counts as one more.
func (r Result) Distinct() int { return len(r.Seen) + r.Failed }

// Join returns the worse of two results with all that both have counted. Different seeds must not be in one result otherwise: they
// see different things.
func (r Result) Join(other Result) Result {
	worse := r
	if other.Distinct() > r.Distinct() {
		worse = other
	}
	worse.Processes = r.Processes + other.Processes
	worse.Inexact = r.Inexact + other.Inexact
	worse.Failed = r.Failed + other.Failed
	return worse
}

// Results are those of each program.
type Results map[string]Result

// Join joins the results of each program.
func (r Results) Join(other Results) Results {
	joined := maps.Clone(other)
	for name, result := range r {
		joined[name] = result.Join(other[name])
	}
	return joined
}

// Measure runs the sample's processes. Each has a temporary directory of its own.
func (s Sample) Measure(ctx context.Context) Results {
	results := Results{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(1, s.Parallel))
	for range s.Runs {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			seen, err := s.once(ctx)
			mu.Lock()
			defer mu.Unlock()
			for _, name := range s.Ingredients {
				results[name] = results[name].add(seen[name], err)
			}
		})
	}
	wg.Wait()
	return results
}

// sight is what one process saw of one program.
type sight struct {
	log   string
	exact bool
}

func (r Result) add(seen sight, err error) Result {
	if r.Seen == nil {
		r.Seen = map[string]int{}
	}
	r.Processes++
	if seen.log == "" {
		r.Failed++
		r.Error = err
		return r
	}
	r.Seen[seen.log]++
	if !seen.exact {
		r.Inexact++
	}
	return r
}

// logged is the line that TestPrograms prints for each program.
var logged = regexp.MustCompile(`(?m)^logged (\S+) exact=(\S+) outside=\d+ of (.+)$`)

// once runs one process. What it saw before an error counts.
func (s Sample) once(ctx context.Context) (map[string]sight, error) {
	temp, err := os.MkdirTemp("", "exactness-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	cmd := exec.CommandContext(ctx, s.Binary, "-test.run=^TestPrograms$", "-test.timeout=2m")
	// The race detector waits a second at the end of a process unless told otherwise.
	cmd.Env = append(os.Environ(), "INGREDIENTS="+strings.Join(s.Ingredients, "\n"), fmt.Sprint("INGREDIENT_SEED=", s.Seed), "TMPDIR="+temp, "GORACE=atexit_sleep_ms=0")
	cmd.Env = append(cmd.Env, s.Env...)
	out, err := cmd.CombinedOutput()
	seen := map[string]sight{}
	for _, m := range logged.FindAllSubmatch(out, -1) {
		seen[string(m[3])] = sight{log: string(m[1]), exact: string(m[2]) == "true"}
	}
	if err == nil && len(seen) < len(s.Ingredients) {
		err = errors.New("not every program logged something")
	}
	if err != nil {
		return seen, fmt.Errorf("%s: %w\n%s", s.Ingredients, err, out)
	}
	return seen, nil
}
