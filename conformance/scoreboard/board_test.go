// SPDX-License-Identifier: MPL-2.0

package scoreboard

import (
	"strings"
	"testing"
)

func board() *Board {
	leak := Found{Verdict: Leak, Seed: 7, Seeds: 8, Replayed: true}
	unsteady := Found{Verdict: Panic, Seed: 9, Seeds: 10}
	none := Found{Verdict: NotFound, Seed: 99, Seeds: 100, Stalls: 2}
	return &Board{Toolchain: "go1.26.0 linux/amd64", Strategies: []string{"random", "pct"}, Seeds: 100, Runs: 50, Rows: []Row{
		{Kernel: Kernel{Name: "A"}, Found: map[string]Found{"random": leak, "pct": leak}, Plain: &Count{Hits: 3, Runs: 50}},
		{Kernel: Kernel{Name: "B"}, Found: map[string]Found{"random": unsteady, "pct": none}, Plain: &Count{Runs: 50}},
	}}
}

func TestTotals(t *testing.T) {
	b := board()
	b.Sum()
	if got, want := b.Totals["random"], (Totals{Found: 2, Replayed: 1, Latest: 9}); got != want {
		t.Errorf("random: %+v, want %+v", got, want)
	}
	if got, want := b.Totals["pct"], (Totals{Found: 1, Replayed: 1, Latest: 7, Stalls: 2}); got != want {
		t.Errorf("pct: %+v, want %+v", got, want)
	}
	if b.PlainHit != 1 {
		t.Errorf("plain Go hit %d kernels, want 1", b.PlainHit)
	}
	b.Rows[0].Plain.Error = Failed + ": exit status 1"
	if err := b.Err(); err == nil || err.Error() != "not found, not replayed, or not run: A in plain Go, B under random, B under pct" {
		t.Errorf("error %v", err)
	}
}

// A kernel that cannot fail need not be found, but what is found must be replayed.
func TestUnreachable(t *testing.T) {
	b := &Board{Strategies: []string{"random"}, Rows: []Row{{
		Kernel: Kernel{Name: "Moby27782"}, Found: map[string]Found{"random": {Verdict: NotFound}},
	}}}
	if err := b.Err(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(b.Footer(), "Moby27782 cannot fail: ") {
		t.Errorf("footer: %s", b.Footer())
	}
	b.Rows[0].Found["random"] = Found{Verdict: Leak}
	if b.Err() == nil {
		t.Error("a leak that was not replayed is no error")
	}
}

func TestLines(t *testing.T) {
	b := board()
	b.Sum()
	for _, want := range []string{"leak at 7", "3 of 50"} {
		if line := b.Line(b.Rows[0]); !strings.Contains(line, want) {
			t.Errorf("%q lacks %q", line, want)
		}
	}
	for _, want := range []string{"panic at 9, NOT replayed", "not found in 100, stalls: 2", "0 of 50"} {
		if line := b.Line(b.Rows[1]); !strings.Contains(line, want) {
			t.Errorf("%q lacks %q", line, want)
		}
	}
	if got := b.Footer(); !strings.HasPrefix(got, "\ngo1.26.0 linux/amd64\n") || !strings.Contains(got, "pct: 1 of 2 found within 100 seeds, the latest at seed 7; 1 replayed; 2 stalls\n") {
		t.Errorf("footer:\n%s", got)
	}
}
