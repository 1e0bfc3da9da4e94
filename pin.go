// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/sched/decisions"
	"github.com/hmdsefi/faultline/sim/fault"
)

// Pin makes t the regression test of one seed: what t calls from here on, usually the
// test that failed, runs that seed only, with the faults of its schedule instead of the
// planners' and, in an exact run, following its decisions over goroutines as far as
// they fit. dir is a folder that "faultline pin" has made; a path is relative to the
// folder of the package, as in go test.
//
// FAULTLINE_SEEDS, FAULTLINE_BASE_SEED and FAULTLINE_EXPLORE do not reach a pinned test.
// FAULTLINE_SEED, FAULTLINE_SEED_LIST and FAULTLINE_DECISIONS turn the pin off, unless
// FAULTLINE_SEED is its seed. A Run of another subtest than the one that failed is
// skipped.
//
// Pin fails t at once if dir cannot be read, and at its end if no Run has used the pin.
// It must be called on the goroutine of t, before Run.
func Pin(t *testing.T, dir string) {
	t.Helper()
	p, err := readPin(dir)
	if err != nil {
		t.Fatalf("faultline: cannot pin: %v", err)
	}
	_, rest, nested := strings.Cut(p.test, "/")
	p.name = t.Name()
	if nested {
		p.name += "/" + rest
	}
	if _, twice := pins.LoadOrStore(t.Name(), p); twice {
		t.Fatalf("faultline: cannot pin: %s is pinned already", t.Name())
	}
	t.Cleanup(func() {
		pins.Delete(t.Name())
		if !p.used && !t.Skipped() && !t.Failed() {
			t.Errorf("faultline: the pin was not used: no Run of %s", p.name)
		}
	})
}

// pins are the pins of tests that are going on, by name of the test.
var pins sync.Map

// pinned is a seed that a test is pinned to.
type pinned struct {
	test      string // whose seed it is
	name      string // of the test whose Run is to run it
	seed      uint64
	schedule  *fault.Schedule // nil leaves the faults to the planners
	decisions *decisions.Log  // nil unless its run was exact
	used      bool
}

func readPin(dir string) (*pinned, error) {
	run, err := artifact.Read(dir)
	if err != nil {
		return nil, err
	}
	return &pinned{
		test: run.Report.Test, seed: uint64(run.Report.Seed), schedule: run.Schedule, decisions: run.Decisions,
	}, nil
}

// pinOf returns the pin of a test or of the nearest one that it is a subtest of, or nil.
func pinOf(test string) *pinned {
	for {
		if p, ok := pins.Load(test); ok {
			return p.(*pinned)
		}
		i := strings.LastIndexByte(test, '/')
		if i < 0 {
			return nil
		}
		test = test[:i]
	}
}

// pin lets p decide what the environment leaves open.
func (s *settings) pin(p *pinned) {
	if s.seed != nil && *s.seed != p.seed || s.list != nil || s.follow != nil {
		s.ignored = append(s.ignored, fmt.Sprintf("the pin to seed %s is ignored, because the environment names seeds", formatSeed(p.seed)))
		return
	}
	s.pinned = p
	if s.seed != nil {
		return
	}
	for _, weak := range []struct {
		name string
		set  bool
	}{{envSeeds, s.seeds != nil}, {envBase, s.base != nil}, {envExplore, s.explore != nil}} {
		if weak.set {
			s.ignored = append(s.ignored, weak.name+" is ignored, because the test is pinned to a seed")
		}
	}
}

// usePin takes over what the pin has besides its seed.
func (r *runner) usePin() {
	p := r.env.pinned
	if p == nil {
		return
	}
	if r.schedule == nil {
		r.schedule = p.schedule
	}
	switch {
	case p.decisions == nil:
	case r.exact:
		r.env.follow = p.decisions
	default:
		r.env.ignored = append(r.env.ignored, "the pinned decisions over goroutines are left out, because the run is not exact; build through the wrapper: go tool faultline-toolexec test")
	}
}
