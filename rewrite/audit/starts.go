// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hmdsefi/faultline/rewrite/source"
)

var beforeRun = finding{"it starts before the run and is no part of it: no seed decides when it runs, and what it wakes makes the run best effort",
	"start it in the process function"}

// timers are the functions of package time that start one.
var timers = map[string]bool{"After": true, "AfterFunc": true, "NewTicker": true, "NewTimer": true, "Tick": true}

func wantsStart(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.SelectorExpr:
		return timers[n.Sel.Name] || n.Sel.Name == "Go"
	}
	return imports(n, func(path string) bool { return path == "time" })
}

// starter follows what runs before the tests of a package into its own functions.
type starter struct {
	pass   *source.Pass
	bodies map[*types.Func]*ast.BlockStmt
	seen   map[*types.Func]bool
}

// findStarts looks for goroutines and timers that init, TestMain and package variables start. A gap stands where these do, or where
// they call the function that does.
func findStarts(p *source.Pass) {
	s := &starter{pass: p, bodies: map[*types.Func]*ast.BlockStmt{}}
	for _, f := range p.Files {
		for _, d := range f.Syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				if object, ok := p.Info.Defs[fn.Name].(*types.Func); ok {
					s.bodies[object] = fn.Body
				}
			}
		}
	}
	for f := range p.Changeable() {
		for _, d := range f.Syntax.Decls {
			for _, n := range earlyParts(d) {
				s.record(f, n)
			}
		}
	}
}

// earlyParts are the parts of a declaration that run before any test.
func earlyParts(d ast.Decl) (parts []ast.Node) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Body != nil && (d.Name.Name == "init" || d.Name.Name == "TestMain") {
			parts = append(parts, d.Body)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if spec, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
				for _, value := range spec.Values {
					parts = append(parts, value)
				}
			}
		}
	}
	return parts
}

func (s *starter) record(f *source.File, early ast.Node) {
	s.walk(early, func(n ast.Node) {
		s.seen = map[*types.Func]bool{}
		if construct := s.starts(n); construct != "" {
			s.pass.Gap(f, n.Pos(), construct+" before the run", beforeRun.reason, beforeRun.cure)
		}
	})
}

// walk visits what runs when n runs: function literals only if they are called at once.
func (s *starter) walk(n ast.Node, visit func(ast.Node)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.FuncLit:
			return false
		case *ast.GoStmt:
			visit(n)
			return false
		case *ast.CallExpr:
			visit(n)
			if literal, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
				s.walk(literal.Body, visit)
			}
		}
		return true
	})
}

// starts says what a go statement, or a call, starts: "" for nothing.
func (s *starter) starts(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return "goroutine"
	}
	f := s.pass.Callee(call)
	if f == nil {
		return ""
	}
	if f.Pkg() != nil && f.Pkg().Path() == "time" && f.Signature().Recv() == nil && timers[f.Name()] {
		return "timer"
	}
	if f.FullName() == "(*sync.WaitGroup).Go" {
		return "goroutine"
	}
	return s.inside(f)
}

// inside looks into a function of the package.
func (s *starter) inside(f *types.Func) (construct string) {
	body := s.bodies[f.Origin()]
	if body == nil || s.seen[f.Origin()] {
		return ""
	}
	s.seen[f.Origin()] = true
	s.walk(body, func(n ast.Node) {
		if construct == "" {
			construct = s.starts(n)
		}
	})
	return construct
}
