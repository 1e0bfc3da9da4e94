// SPDX-License-Identifier: MPL-2.0

package scoreboard

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func build(t *testing.T, goroot string) Search {
	t.Helper()
	exact, plain, err := Build(t.Context(), goroot, t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	return Search{Binary: exact, Plain: plain, Seeds: 100, Runs: 20, Timeout: 2 * time.Minute, Patience: 30 * time.Second}
}

// All kernels of the toolchain in use can be built, and of a handful that plain Go rarely hits, seeds find the bug.
func TestToolchainKernels(t *testing.T) {
	goroot, err := GOROOT(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := Kernels(goroot)
	if err != nil {
		t.Fatal(err)
	}
	s := build(t, goroot)
	for _, name := range []string{"Cockroach10214", "Kubernetes62464", "Moby28462", "Serving2137"} {
		for _, strategy := range []string{"random", "pct"} {
			t.Run(name+"/"+strategy, func(t *testing.T) {
				i := slices.IndexFunc(kernels, func(k Kernel) bool { return k.Name == name })
				if i < 0 {
					t.Skip("the toolchain in use does not have it")
				}
				f := s.Find(t.Context(), kernels[i], strategy)
				if f.Verdict != Leak || !f.Replayed || !f.Exact || len(f.Stuck) == 0 {
					t.Errorf("%+v, want an exact leak that was replayed", f)
				}
			})
		}
	}
}

func TestVerdicts(t *testing.T) {
	s := build(t, inventedRoot(t))
	s.Patience = 3 * time.Second
	find := func(name string) Found { return s.Find(t.Context(), Kernel{Name: name}, "random") }
	t.Run("leak", func(t *testing.T) {
		f := find("Always")
		if f.Verdict != Leak || f.Seed != 0 || !f.Replayed || !slices.Equal(f.Stuck, []string{"Always.func2(...) [chan receive]"}) {
			t.Errorf("%+v", f)
		}
		if f := find("InAnOrder"); f.Verdict != Leak || !f.Replayed || len(f.Stuck) != 2 || f.String() == "" {
			t.Errorf("%+v", f)
		}
	})
	t.Run("known leaks", func(t *testing.T) {
		k := Kernel{Name: "Always", Leaks: []string{`Always\.func2\(.* \[chan send\]`}}
		if f := s.Find(t.Context(), k, "pct"); f.Verdict != NotFound {
			t.Errorf("%+v, want nothing found that is not known", f)
		}
	})
	t.Run("copies", func(t *testing.T) {
		if f := find("PicksItsCopy"); f.Verdict != Leak || f.Seed != 3 || f.Seeds != 4 || !f.Replayed {
			t.Errorf("%+v, want a leak at seed 3", f)
		}
		if c := s.Count(t.Context(), Kernel{Name: "PicksItsCopy"}); c != (Count{Hits: 4, Runs: 20}) {
			t.Errorf("plain: %+v, want 4 of 20", c)
		}
	})
	t.Run("none", func(t *testing.T) {
		if f := find("Never"); f.Verdict != NotFound || f.Seeds != s.Seeds || f.Stalls != 0 {
			t.Errorf("%+v", f)
		}
		if c := s.Count(t.Context(), Kernel{Name: "Never"}); c != (Count{Runs: 20}) {
			t.Errorf("plain: %+v, want 0 of 20", c)
		}
	})
	t.Run("panic", func(t *testing.T) {
		f := find("Panics")
		if f.Verdict != Panic || !f.Replayed || !strings.HasPrefix(f.Detail, "panic: found") {
			t.Errorf("%+v", f)
		}
		if c := s.Count(t.Context(), Kernel{Name: "Panics"}); !strings.HasPrefix(c.Error, "panic: found") {
			t.Errorf("plain: %+v", c)
		}
	})
	t.Run("stall", func(t *testing.T) {
		if f := find("Spins"); f.Verdict != Stall || !f.Replayed || !strings.Contains(f.Detail, "goker.spin kernels.go:") {
			t.Errorf("%+v, want a stall in spin", f)
		}
	})
}
