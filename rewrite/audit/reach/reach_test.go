// SPDX-License-Identifier: MPL-2.0

package reach_test

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/hmdsefi/faultline/rewrite/audit/reach"
)

// The package below testdata says in comments what is reached. It stands for a user's, beside a World that does nothing.
func TestReach(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	programs, err := packages.Load(&packages.Config{
		Dir:   dir,
		Env:   append(os.Environ(), "GOWORK=off", "GOFLAGS="),
		Mode:  packages.LoadAllSyntax,
		Tests: true,
	}, "./user")
	if err != nil || packages.PrintErrors(programs) > 0 {
		t.Fatal(err)
	}
	r := reach.Of(programs, func(p *types.Package) bool { return p != nil && strings.HasSuffix(p.Path(), "/user") })
	if r.Processes != 5 {
		t.Errorf("%d process functions, want 5", r.Processes)
	}
	for _, p := range programs {
		if !strings.HasSuffix(p.ID, "/user [github.com/hmdsefi/faultline/user.test]") {
			continue
		}
		lines := r.In(p.Fset, p.Syntax)
		want := 0
		for _, f := range p.Syntax {
			want += checkComments(t, p, f, lines)
		}
		if want == 0 {
			t.Error("no comments")
		}
	}
}

func checkComments(t *testing.T, p *packages.Package, f *ast.File, lines *reach.Lines) (n int) {
	t.Helper()
	for _, group := range f.Comments {
		for _, c := range group.List {
			at := p.Fset.Position(c.Pos())
			want, ok := map[string]bool{"// reached": true, "// not reached": false}[c.Text]
			if !ok {
				continue
			}
			n++
			if got := lines.Reached(filepath.Base(at.Filename), at.Line); got != want {
				t.Errorf("%s: reached = %v", at, got)
			}
		}
	}
	return n
}

// Without faultline there is no process, and nothing is analysed.
func TestNoWorld(t *testing.T) {
	programs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, "errors")
	if err != nil {
		t.Fatal(err)
	}
	r := reach.Of(programs, func(*types.Package) bool { return true })
	if r.Processes != 0 || r.In(programs[0].Fset, programs[0].Syntax).Reached("errors.go", 1) {
		t.Errorf("%d processes", r.Processes)
	}
}
