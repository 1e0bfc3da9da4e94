// SPDX-License-Identifier: MPL-2.0

package scoreboard

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hmdsefi/faultline/conformance/exactness"
	"github.com/hmdsefi/faultline/conformance/scoreboard/driver"
)

// Verdicts of a search. Every search ends with one of them.
const (
	Leak     = "leak"      // goroutines of the kernel's bug can never go on
	Panic    = "panic"     // the process ended with one
	Stall    = "stall"     // a seed did not end: goroutines run on and on
	NotFound = "not found" // no seed failed
	Timeout  = "timeout"   // no seed failed in the time there was
	Failed   = "failed"    // the process could not run
)

// Search says how kernels are searched. It is not changed by searching, and may be used by many goroutines at once.
type Search struct {
	Binary   string        // built through the wrapper; see [Build]
	Plain    string        // built without it
	Seeds    int           // the seeds are 0 to one less
	Runs     int           // plain runs
	Timeout  time.Duration // of each search and of all plain runs, in wall time
	Patience time.Duration // how long a seed may take, in wall time, before it is a stall
}

// Found is what a search with one strategy came to.
type Found struct {
	Verdict string   `json:"verdict"`
	Seed    int      `json:"seed"`             // the first that failed; -1 is the run before the first seed
	Seeds   int      `json:"seeds"`            // that were run
	Stalls  int      `json:"stalls,omitempty"` // of those
	Stuck   []string `json:"stuck,omitempty"`
	Detail  string   `json:"detail,omitempty"`

	// Replayed says that the seed gave the same run in a fresh process: the same hash of decisions, the same goroutines left behind,
	// the same error; the same first line for a panic, and another stall for a stall.
	Replayed bool   `json:"replayed"`
	Exact    bool   `json:"exact"`
	Hash     uint64 `json:"hash,omitempty"`
	Points   uint64 `json:"points,omitempty"`
}

// Hit reports whether the search found the bug.
func (f Found) Hit() bool { return f.Verdict == Leak || f.Verdict == Panic }

// Count is what plain runs came to.
type Count struct {
	Hits  int    `json:"hits"`
	Runs  int    `json:"runs"`
	Error string `json:"error,omitempty"` // why Hits is not known
}

// Build writes and builds the kernels' module below dir, through the wrapper and without it.
func Build(ctx context.Context, goroot, dir, wrapper string) (exact, plain string, err error) {
	if err := writeModule(ctx, goroot, dir); err != nil {
		return "", "", err
	}
	build := exactness.Build{Package: ".", Root: dir, Wrapper: wrapper}
	if exact, err = makeIn(ctx, build, filepath.Join(dir, "exact")); err != nil {
		return "", "", err
	}
	build.Plain = true
	plain, err = makeIn(ctx, build, filepath.Join(dir, "plain"))
	return exact, plain, err
}

func makeIn(ctx context.Context, build exactness.Build, dir string) (string, error) {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return "", err
	}
	return build.Make(ctx, dir)
}

// maxStalls is how many seeds a search passes over because they stall.
const maxStalls = 3

// Find searches for the first seed that leaves the bug behind or panics, and runs it again in a fresh process. It passes over a seed
// that stalls, but not over many.
func (s Search) Find(ctx context.Context, k Kernel, strategy string) Found {
	request := driver.Request{Kernel: k.Name, Strategy: strategy, Count: s.Seeds, Leaks: k.Leaks}
	var stall Found // the first
	for stalls := 0; ; {
		f, report := s.verdict(ctx, request)
		if f.Verdict != Stall {
			f.Stalls = stalls
			return s.replay(ctx, request, f, report)
		}
		if stalls++; stalls == 1 {
			stall = s.replay(ctx, request, f, report)
		}
		request.From, request.Count = f.Seed+1, s.Seeds-f.Seed-1
		if stalls == maxStalls || f.Seed == driver.WarmUp || request.Count == 0 {
			stall.Stalls = stalls
			return stall
		}
	}
}

// replay runs the seed of a verdict again and notes whether it came out the same.
func (s Search) replay(ctx context.Context, request driver.Request, f Found, report driver.Report) Found {
	if !f.Hit() && f.Verdict != Stall {
		return f
	}
	request.From, request.Count = max(f.Seed, 0), 1
	again, second := s.verdict(ctx, request)
	f.Replayed = f.Verdict == again.Verdict && f.Seed == again.Seed && report.Same(second)
	if f.Verdict == Panic { // its text has addresses below the first line; a stall has a place that moves
		f.Replayed = f.Replayed && f.Detail == again.Detail
	}
	return f
}

func (s Search) verdict(ctx context.Context, request driver.Request) (Found, driver.Report) {
	e := watch(ctx, s.Binary, request, patience{report: s.Patience, all: s.Timeout})
	r := e.last
	f := Found{Verdict: NotFound, Seed: r.Seed, Seeds: r.Seed + 1, Stuck: r.Stuck, Exact: r.Exact, Hash: r.Hash, Points: r.Points}
	switch {
	case e.stalled:
		f.Verdict, f.Detail = Stall, where(e.output)
	case e.expired:
		f.Verdict = Timeout
	case panicked(e.output) != "":
		f.Verdict, f.Detail = Panic, panicked(e.output)
	case e.err != nil:
		f.Verdict, f.Detail = Failed, fmt.Sprintf("%v\n%s", e.err, e.output)
	case r.Hit:
		f.Verdict, f.Detail = Leak, r.Deadlock
	}
	return f, r
}

// Count runs a kernel without the wrapper and counts the runs that leave the bug's goroutines behind.
func (s Search) Count(ctx context.Context, k Kernel) Count {
	request := driver.Request{Kernel: k.Name, Count: s.Runs, Plain: true, Leaks: k.Leaks}
	e := watch(ctx, s.Plain, request, patience{report: s.Timeout, all: s.Timeout})
	c := Count{Hits: e.last.Hits, Runs: s.Runs}
	switch {
	case e.stalled || e.expired:
		c.Error = Timeout
	case panicked(e.output) != "":
		c.Error = panicked(e.output)
	case e.err != nil:
		c.Error = fmt.Sprintf("%s: %v\n%s", Failed, e.err, e.output)
	}
	return c
}
