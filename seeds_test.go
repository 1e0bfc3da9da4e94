// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"slices"
	"testing"
)

func ptr[T any](v T) *T { return &v }

func TestSeedPlan(t *testing.T) {
	tests := []struct {
		name   string
		opts   Options
		env    settings
		short  bool
		count  int
		source string
		all    bool
	}{
		{"default", Options{}, settings{}, false, DefaultSeeds, "test name", false},
		{"short", Options{}, settings{}, true, shortSeeds, "test name", false},
		{"option", Options{Seeds: 3}, settings{}, true, 3, "test name", false},
		{"option, short", Options{Seeds: 50}, settings{}, true, shortSeeds, "test name", false},
		{"variable, short", Options{Seeds: 50}, settings{seeds: ptr[uint64](7)}, true, 7, "test name", false},
		{"base option", Options{BaseSeed: 9}, settings{}, false, DefaultSeeds, "Options.BaseSeed", false},
		{"base variable", Options{BaseSeed: 9}, settings{base: ptr[uint64](8)}, false, DefaultSeeds, envBase, false},
		{"explore", Options{BaseSeed: 9}, settings{explore: ptr(true)}, false, DefaultSeeds, envExplore, false},
		{"no explore", Options{}, settings{explore: ptr(false)}, false, DefaultSeeds, "test name", false},
		{"seed", Options{Seeds: 3}, settings{seed: ptr[uint64](0)}, false, 1, envSeed, false},
		{"list", Options{Seeds: 3}, settings{list: []uint64{5, 6}}, true, 2, envList, true},
	}
	for _, tt := range tests {
		p := planSeeds("TestX", tt.opts, tt.env, tt.short)
		if len(p.seeds) != tt.count || p.source != tt.source || p.all != tt.all {
			t.Errorf("%s: %d seeds from %q, all %v; want %d from %q, %v", tt.name, len(p.seeds), p.source, p.all, tt.count, tt.source, tt.all)
		}
	}
}

func TestSeedsStayTheSame(t *testing.T) {
	p := planSeeds("TestKV", Options{Seeds: 3}, settings{}, false)
	q := planSeeds("TestKV", Options{Seeds: 100}, settings{}, false)
	if !slices.Equal(p.seeds, q.seeds[:3]) {
		t.Errorf("a longer list begins with %x, a shorter one is %x", q.seeds[:3], p.seeds)
	}
	// Seeds are in bug reports and in pinned tests: they must never change.
	if want := uint64(0xf379dfce8b5598c9); p.seeds[0] != want {
		t.Errorf("first seed of TestKV is %#016x, want %#016x", p.seeds[0], want)
	}
	if other := planSeeds("TestOther", Options{}, settings{}, false); other.base == p.base {
		t.Error("two tests have the same base")
	}
}

func TestDerivedSeedsDiffer(t *testing.T) {
	seen := make(map[uint64]int)
	for i := range 10_000 {
		seed := deriveSeed(1, i)
		if j, ok := seen[seed]; ok {
			t.Fatalf("seeds %d and %d are both %#x", i, j, seed)
		}
		seen[seed] = i
	}
}

func TestExploreTakesANewBase(t *testing.T) {
	explore := settings{explore: ptr(true)}
	a, b := planSeeds("TestX", Options{}, explore, false), planSeeds("TestX", Options{}, explore, false)
	if a.base == b.base {
		t.Errorf("two explorations have the base %#x", a.base)
	}
}
