// SPDX-License-Identifier: MPL-2.0

package loops

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hmdsefi/faultline/rewrite/source"
)

// analysis knows the functions of a package.
type analysis struct {
	pass   *source.Pass
	bodies map[types.Object]*ast.BlockStmt
	points map[types.Object]bool // whether a function passes a point; false also while that is being found out
	shared map[types.Object]bool // local variables that more than their function can reach
}

func newAnalysis(p *source.Pass) *analysis {
	a := &analysis{pass: p, bodies: map[types.Object]*ast.BlockStmt{}, points: map[types.Object]bool{}, shared: map[types.Object]bool{}}
	for _, f := range p.Files {
		a.findShared(f)
		for _, d := range f.Syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				a.bodies[p.Info.Defs[fn.Name]] = fn.Body
			}
		}
	}
	return a
}

// body returns the body of a function of the package, nil of any other.
func (a *analysis) body(f *types.Func) ast.Node {
	if body := a.bodies[f]; body != nil {
		return body
	}
	return nil
}

// passesPoint reports whether running n could pass a scheduling point or block.
func (a *analysis) passesPoint(n ast.Node) bool {
	found := false
	walk(n, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.SendStmt, *ast.SelectStmt, *ast.GoStmt:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.RangeStmt:
			switch types.Unalias(a.pass.Info.TypeOf(n.X)).Underlying().(type) {
			case *types.Chan, *types.Signature, *types.Interface:
				found = true
			}
		case *ast.CallExpr:
			found = found || a.callPasses(n)
		}
	})
	return found
}

// walk visits what runs when n runs: not the bodies of function literals. n may be nil.
func walk(n ast.Node, visit func(ast.Node)) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		visit(n)
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
}

// callPasses reports whether the call itself could pass a point; its arguments are not looked at.
func (a *analysis) callPasses(call *ast.CallExpr) bool {
	switch fun := a.pass.Info.Types[call.Fun]; {
	case fun.IsType():
		return false
	case fun.IsBuiltin():
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		return !ok || id.Name == "close"
	}
	if literal, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return a.passesPoint(literal.Body)
	}
	if source.CountsCoverage(call.Fun) {
		return false
	}
	callee := a.callee(call)
	if callee == nil {
		return true
	}
	body, ours := a.bodies[callee]
	if !ours {
		return !quiet(callee)
	}
	if passes, known := a.points[callee]; known {
		return passes
	}
	a.points[callee] = false
	a.points[callee] = a.passesPoint(body)
	return a.points[callee]
}

// callee is the function or method that is called, or nil if only the running program knows it.
func (a *analysis) callee(call *ast.CallExpr) *types.Func {
	f := a.pass.Callee(call)
	if f == nil || f.Signature().Recv() != nil && types.IsInterface(f.Signature().Recv().Type()) {
		return nil
	}
	return f.Origin()
}

// quietPackages have no point in any function, apart from those that they are given and methods.
var quietPackages = map[string]bool{
	"bytes": true, "cmp": true, "errors": true, "maps": true, "math": true, "math/bits": true, "slices": true, "strconv": true,
	"strings": true, "unicode": true, "unicode/utf8": true, "unsafe": true,
}

// quiet reports whether a function of another package passes no point.
func quiet(f *types.Func) bool {
	switch {
	case f.Pkg() == nil:
		return true
	case f.Signature().Recv() != nil:
		return isTimeValue(f)
	}
	return quietPackages[f.Pkg().Path()] || readsClock(f)
}

// readsClock reports whether a function reads the time.
func readsClock(f *types.Func) bool {
	if f.Pkg() == nil || f.Pkg().Path() != "time" || f.Signature().Recv() != nil {
		return false
	}
	return f.Name() == "Now" || f.Name() == "Since" || f.Name() == "Until"
}

// isTimeValue reports whether a function is a method of time.Time or time.Duration.
func isTimeValue(f *types.Func) bool {
	name := strings.TrimLeft(f.FullName(), "(*")
	return strings.HasPrefix(name, "time.Time)") || strings.HasPrefix(name, "time.Duration)")
}
