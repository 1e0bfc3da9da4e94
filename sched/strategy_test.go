// SPDX-License-Identifier: MPL-2.0

package sched

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	seam "github.com/hmdsefi/faultline/runtime"
	"github.com/hmdsefi/faultline/sched/decisions"
)

// What runs inside the scheduler must not be instrumented: on the system stack the race detector has no context.
func TestDecidingCodeIsNotInstrumented(t *testing.T) {
	deciding := []string{"Next", "decide", "next", "add", "below", "mix", "changesAt", "drop", "priority"}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), entry.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !slices.Contains(deciding, f.Name.Name) {
				continue
			}
			checked++
			if f.Doc == nil || !slices.ContainsFunc(f.Doc.List, func(c *ast.Comment) bool { return c.Text == "//go:norace" }) {
				t.Errorf("%s: %s lacks //go:norace", entry.Name(), f.Name.Name)
			}
		}
	}
	if checked < len(deciding) {
		t.Errorf("found %d deciding functions, want at least %d", checked, len(deciding))
	}
}

func TestRandomWalk(t *testing.T) {
	rates := map[uint64]bool{}
	for seed := range uint64(200) {
		var a, b randomWalk
		a.Start(seed, 0)
		b.Start(seed, 0)
		rates[a.yield] = true
		for range 50 {
			for _, kind := range []seam.Kind{seam.HandOver, seam.MayYield, seam.Yields} {
				x, y := a.Next(kind, 3), b.Next(kind, 3)
				if x != y {
					t.Fatalf("seed %d: %d, then %d", seed, x, y)
				}
				if limit := uint32(3); x > limit || kind == seam.HandOver && x == limit {
					t.Fatalf("kind %d of 3: picked %d", kind, x)
				}
			}
		}
	}
	if len(rates) != len(yieldRates) {
		t.Errorf("200 seeds use %d yield rates, want all %d", len(rates), len(yieldRates))
	}
}

func TestPCTPriorities(t *testing.T) {
	var p pct
	p.Start(3, 0)
	if p.priority(1) == p.priority(2) {
		t.Error("two goroutines have one priority")
	}
	p.drop(1)
	p.drop(2)
	if !(p.priority(2) < p.priority(1) && p.priority(1) < p.priority(3)) {
		t.Errorf("after 1 and then 2 fell: priorities %d, %d, and %d for 3", p.priority(1), p.priority(2), p.priority(3))
	}
	p.drop(1 + uint64(len(p.fallen))) // takes the slot of 1
	if p.priority(1) < 1<<63 {
		t.Error("a goroutine whose slot was taken is still below all others")
	}
}

// lostUpdate counts updates that are lost because the lock is free between the read and the write.
func lostUpdate(t *testing.T, cfg Config) (lost int, out Outcome) {
	out = Bubble(t, cfg, func(*testing.T) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		x := 0
		for range 3 {
			wg.Go(func() {
				mu.Lock()
				v := x
				mu.Unlock()
				mu.Lock()
				x = v + 1
				mu.Unlock()
			})
		}
		wg.Wait()
		lost = 3 - x
	})
	return lost, out
}

func TestEveryStrategyFindsLostUpdatesAndReplays(t *testing.T) {
	if !Available() {
		t.Skip("needs the seam: go test -toolexec=faultline-toolexec")
	}
	lostUpdate(t, Config{Exact: true})
	_, typical := lostUpdate(t, Config{Exact: true})
	for _, name := range Strategies() {
		found := 0
		for seed := range uint64(300) {
			cfg := Config{Exact: true, Seed: seed, Strategy: name, Length: typical.Decisions}
			lost, first := lostUpdate(t, cfg)
			again, second := lostUpdate(t, cfg)
			if lost != again || first.Hash != second.Hash {
				t.Fatalf("%s, seed %d: lost %d (%+v), then %d (%+v)", name, seed, lost, first, again, second)
			}
			if lost > 0 {
				found++
			}
		}
		if found < 30 {
			t.Errorf("%s found the lost update with %d of 300 seeds, want at least 30", name, found)
		}
	}
}

// Whatever the priorities, a goroutine that polls does not for ever keep the one that it waits for from running.
func TestPollingEnds(t *testing.T) {
	if !Available() {
		t.Skip("needs the seam: go test -toolexec=faultline-toolexec")
	}
	for _, strategy := range Strategies() {
		for seed := range uint64(20) {
			out := Bubble(t, Config{Exact: true, Seed: seed, Strategy: strategy, Length: 50}, func(*testing.T) {
				done := make(chan struct{})
				go close(done)
				for polling := true; polling; {
					select {
					case <-done:
						polling = false
					default:
					}
				}
			})
			if out.Deadlock != nil {
				t.Errorf("%s, seed %d: %v", strategy, seed, out.Deadlock)
			}
		}
	}
}

func TestLogIsRecordedAndFollowed(t *testing.T) {
	if !Available() {
		t.Skip("needs the seam: go test -toolexec=faultline-toolexec")
	}
	lostUpdate(t, Config{Exact: true})
	_, plain := lostUpdate(t, Config{Exact: true, Seed: 11})
	lost, recorded := lostUpdate(t, Config{Exact: true, Seed: 11, Record: int(plain.Decisions)})
	if recorded.Hash != plain.Hash || recorded.Log.Truncated || len(recorded.Log.Decisions) != int(plain.Decisions) {
		t.Fatalf("recording changed the run: %+v, then %+v", plain, recorded)
	}
	if !slices.ContainsFunc(recorded.Log.Decisions, func(d decisions.Decision) bool { return strings.Contains(d.Place, "strategy_test.go:") }) {
		t.Errorf("no decision names a place in this file: %+v", recorded.Log.Decisions)
	}
	again, followed := lostUpdate(t, Config{Exact: true, Seed: 999, Strategy: "pct", Follow: recorded.Log})
	if again != lost || followed.Hash != plain.Hash || followed.Unfit != nil {
		t.Errorf("following the log under another seed: lost %d, %+v; recorded: lost %d, %+v", again, followed, lost, plain)
	}
	_, short := lostUpdate(t, Config{Exact: true, Seed: 11, Record: 5})
	if !short.Log.Truncated || len(short.Log.Decisions) != 5 || short.Hash != plain.Hash {
		t.Errorf("with room for 5 decisions: %+v", short)
	}
}

func TestLogThatDoesNotFit(t *testing.T) {
	if !Available() {
		t.Skip("needs the seam: go test -toolexec=faultline-toolexec")
	}
	_, plain := lostUpdate(t, Config{Exact: true, Seed: 11})
	_, recorded := lostUpdate(t, Config{Exact: true, Seed: 11, Record: int(plain.Decisions)})
	recorded.Log.Decisions[10].Goroutine = 4000
	_, out := lostUpdate(t, Config{Exact: true, Seed: 11, Follow: recorded.Log})
	if out.Unfit == nil || out.Unfit.Decision != 10 {
		t.Errorf("Unfit = %+v, want decision 10", out.Unfit)
	}
}
