// SPDX-License-Identifier: MPL-2.0

// Package sim_test holds the rule that the simulator decides nothing by accident:
// no package below sim may start goroutines, use channels, read the wall clock,
// draw from a generator that is not seeded from the run, compute in floating point
// or depend on the order of a map.
package sim_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSimDecidesNothingByAccident(t *testing.T) {
	l := newLinter(t)
	checked := 0
	for _, p := range l.packages {
		if p.DepOnly || !strings.HasPrefix(p.ImportPath, "github.com/hmdsefi/faultline/sim/") {
			continue
		}
		checked++
		var files []*ast.File
		for _, name := range p.GoFiles {
			files = append(files, l.parse(filepath.Join(p.Dir, name)))
		}
		for _, f := range l.check(p.ImportPath, files) {
			t.Error(f)
		}
	}
	if checked < 3 {
		t.Errorf("only %d packages below sim were found", checked)
	}
}

// TestLintFindsBadFixtures holds the rules themselves: a fixture must give
// exactly the findings that its lines announce with a comment "// want <rule>...".
func TestLintFindsBadFixtures(t *testing.T) {
	l := newLinter(t)
	fixtures, err := filepath.Glob("testdata/lint/*.go")
	if err != nil || len(fixtures) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	announced := map[string]bool{}
	for _, path := range fixtures {
		file := l.parse(path)
		var got, want []string
		for _, f := range l.check("fixture", []*ast.File{file}) {
			got = append(got, f.place())
		}
		for _, group := range file.Comments {
			for _, c := range group.List {
				rules, ok := strings.CutPrefix(c.Text, "// want ")
				if !ok {
					continue
				}
				for _, rule := range strings.Fields(rules) {
					announced[rule] = true
					want = append(want, finding{at: l.fset.Position(c.Pos()), rule: rule}.place())
				}
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: found\n\t%s\nwant\n\t%s", path, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		}
	}
	for _, rule := range []string{ruleGoroutine, ruleChannel, ruleClock, ruleRandom, ruleFloat, ruleMapOrder} {
		if !announced[rule] {
			t.Errorf("no fixture breaks the rule %q", rule)
		}
	}
}

func (l *linter) parse(path string) *ast.File {
	l.t.Helper()
	file, err := parser.ParseFile(l.fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		l.t.Fatal(err)
	}
	return file
}

// finding is one breach of a rule.
type finding struct {
	at   token.Position
	rule string
	what string
}

func (f finding) String() string { return f.at.String() + ": " + f.rule + ": " + f.what }

// place is what a fixture announces: where, and which rule.
func (f finding) place() string {
	f.at.Column = 0
	return f.at.String() + " " + f.rule
}
