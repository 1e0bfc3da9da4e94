// SPDX-License-Identifier: MPL-2.0

package scoreboard

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/hmdsefi/faultline/conformance/scoreboard/driver"
)

// Row is what is known of one kernel.
type Row struct {
	Kernel Kernel           `json:"kernel"`
	Found  map[string]Found `json:"found"` // by strategy
	Plain  *Count           `json:"plain,omitempty"`
}

// Totals are those of one strategy.
type Totals struct {
	Found    int `json:"found"`
	Replayed int `json:"replayed"`
	Stalls   int `json:"stalls"`
	Latest   int `json:"latest"` // the highest first failing seed
}

// Board is a whole table.
type Board struct {
	Toolchain  string            `json:"toolchain"`
	Strategies []string          `json:"strategies"`
	Seeds      int               `json:"seeds"`
	Runs       int               `json:"plain_runs"`
	Rows       []Row             `json:"rows"`
	Totals     map[string]Totals `json:"totals"`
	PlainHit   int               `json:"plain_hit"` // kernels that plain Go hit at least once
}

// Rows searches kernels, some at a time, and yields them in order.
func (s Search) Rows(ctx context.Context, kernels []Kernel, strategies []string, parallel int) iter.Seq[Row] {
	rows := make([]chan Row, len(kernels))
	for i := range rows {
		rows[i] = make(chan Row, 1)
	}
	return func(yield func(Row) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		go func() {
			slots := make(chan struct{}, max(1, parallel))
			for i, k := range kernels {
				slots <- struct{}{}
				go func() {
					defer func() { <-slots }()
					rows[i] <- s.row(ctx, k, strategies)
				}()
			}
		}()
		for _, row := range rows {
			if !yield(<-row) {
				return
			}
		}
	}
}

func (s Search) row(ctx context.Context, k Kernel, strategies []string) Row {
	row := Row{Kernel: k, Found: map[string]Found{}}
	for _, strategy := range strategies {
		row.Found[strategy] = s.Find(ctx, k, strategy)
	}
	if s.Runs > 0 {
		count := s.Count(ctx, k)
		row.Plain = &count
	}
	return row
}

// Sum fills in the totals.
func (b *Board) Sum() {
	b.Totals, b.PlainHit = map[string]Totals{}, 0
	for _, row := range b.Rows {
		for strategy, f := range row.Found {
			t := b.Totals[strategy]
			t.add(f)
			b.Totals[strategy] = t
		}
		if row.Plain != nil && row.Plain.Hits > 0 {
			b.PlainHit++
		}
	}
}

func (t *Totals) add(f Found) {
	t.Stalls += f.Stalls
	if !f.Hit() {
		return
	}
	t.Found++
	t.Latest = max(t.Latest, f.Seed)
	if f.Replayed {
		t.Replayed++
	}
}

// Err names what falls short of the aim: every kernel found whose bug can be reached, every found seed replayed, nothing that could not run.
func (b *Board) Err() error {
	var short []string
	for _, row := range b.Rows {
		for _, strategy := range b.Strategies {
			f := row.Found[strategy]
			expected := f.Verdict == NotFound && unreachable[row.Kernel.Name] != ""
			if (!f.Hit() || !f.Replayed) && !expected {
				short = append(short, row.Kernel.Name+" under "+strategy)
			}
		}
		if row.Plain != nil && strings.HasPrefix(row.Plain.Error, Failed) {
			short = append(short, row.Kernel.Name+" in plain Go")
		}
	}
	if len(short) == 0 {
		return nil
	}
	return fmt.Errorf("not found, not replayed, or not run: %s", strings.Join(short, ", "))
}

// Header gives the line above the rows, Line that of a row, Footer the totals below.
func (b *Board) Header() string {
	line := fmt.Sprintf("%-18s", "kernel")
	for _, strategy := range b.Strategies {
		line += fmt.Sprintf("  %-26s", strategy)
	}
	if b.Runs > 0 {
		line += "  plain Go"
	}
	return line
}

// Line is described at Header.
func (b *Board) Line(row Row) string {
	line := fmt.Sprintf("%-18s", row.Kernel.Name)
	for _, strategy := range b.Strategies {
		line += fmt.Sprintf("  %-26s", row.Found[strategy])
	}
	if row.Plain != nil {
		line += "  " + row.Plain.String()
	}
	return line
}

// Footer is described at Header.
func (b *Board) Footer() string {
	var text strings.Builder
	fmt.Fprintf(&text, "\n%s\n", b.Toolchain)
	for _, strategy := range b.Strategies {
		t := b.Totals[strategy]
		fmt.Fprintf(&text, "%s: %d of %d found within %d seeds, the latest at seed %d; %d replayed; %d stalls\n",
			strategy, t.Found, len(b.Rows), b.Seeds, t.Latest, t.Replayed, t.Stalls)
	}
	if b.Runs > 0 {
		fmt.Fprintf(&text, "plain Go: %d of %d hit at least once in %d runs\n", b.PlainHit, len(b.Rows), b.Runs)
	}
	for _, row := range b.Rows {
		if why := unreachable[row.Kernel.Name]; why != "" {
			fmt.Fprintf(&text, "%s cannot fail: %s\n", row.Kernel.Name, why)
		}
	}
	return text.String()
}

// String is the cell of a search.
func (f Found) String() string {
	text := fmt.Sprintf("%s in %d", f.Verdict, f.Seeds)
	switch {
	case f.Verdict == Stall && f.Seed == driver.WarmUp:
		return "stall in the warm-up run"
	case f.Hit() || f.Verdict == Stall:
		text = fmt.Sprintf("%s at %d", f.Verdict, f.Seed)
		if !f.Replayed {
			text += ", NOT replayed"
		}
	}
	if f.Stalls > 0 {
		text += fmt.Sprintf(", stalls: %d", f.Stalls)
	}
	return text
}

// String is the cell of a count.
func (c Count) String() string {
	if c.Error != "" {
		line, _, _ := strings.Cut(c.Error, "\n")
		return line
	}
	return fmt.Sprintf("%d of %d", c.Hits, c.Runs)
}
