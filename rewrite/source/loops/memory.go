// SPDX-License-Identifier: MPL-2.0

package loops

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hmdsefi/faultline/rewrite/source"
)

// readsMemory reports whether an expression names memory that another goroutine can reach; its operands are not looked at unless
// it is a part of one of them.
func (a *analysis) readsMemory(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := a.pass.Info.Uses[e].(*types.Var)
		return ok && !v.IsField() && a.isShared(v)
	case *ast.ParenExpr:
		return a.readsMemory(e.X)
	case *ast.StarExpr:
		return a.pass.Info.Types[e].IsValue()
	case *ast.SelectorExpr:
		return a.selectsMemory(e)
	case *ast.IndexExpr:
		return a.indexesMemory(e)
	}
	return false
}

func (a *analysis) selectsMemory(e *ast.SelectorExpr) bool {
	selection := a.pass.Info.Selections[e]
	if selection == nil { // pkg.Variable
		return a.readsMemory(e.Sel)
	}
	if selection.Kind() != types.FieldVal {
		return false
	}
	return selection.Indirect() || a.readsMemory(e.X)
}

func (a *analysis) indexesMemory(e *ast.IndexExpr) bool {
	if !a.pass.Info.Types[e].IsValue() || !a.pass.Info.Types[e.X].IsValue() {
		return false
	}
	switch types.Unalias(a.pass.Info.TypeOf(e.X)).Underlying().(type) {
	case *types.Slice, *types.Map, *types.Pointer:
		return true
	case *types.Array:
		return a.readsMemory(e.X)
	}
	return false
}

// isShared reports whether a variable belongs to the package, is captured by a function literal, or has its address taken.
func (a *analysis) isShared(v *types.Var) bool {
	return v.Kind() == types.PackageVar || a.shared[v]
}

// findShared collects the local variables of a file that more than their function can reach.
func (a *analysis) findShared(f *source.File) {
	var literals []*ast.FuncLit
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			literals = append(literals, n)
			ast.Inspect(n.Body, visit)
			literals = literals[:len(literals)-1]
			return false
		case *ast.Ident:
			v, ok := a.pass.Info.Uses[n].(*types.Var)
			if ok && len(literals) > 0 && v.Pos() < literals[len(literals)-1].Pos() {
				a.shared[v] = true
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				a.share(n.X)
			}
		case *ast.SliceExpr:
			a.sharePart(n.X)
		case *ast.SelectorExpr:
			if s := a.pass.Info.Selections[n]; s != nil && s.Kind() == types.MethodVal && isPointerMethod(s) && !isPointer(s.Recv()) {
				a.share(n.X)
			}
		}
		return true
	}
	ast.Inspect(f.Syntax, visit)
}

func isPointerMethod(s *types.Selection) bool {
	return isPointer(s.Obj().(*types.Func).Signature().Recv().Type())
}

func isPointer(t types.Type) bool {
	_, ok := types.Unalias(t).Underlying().(*types.Pointer)
	return ok
}

// share marks the variable of which e is a part. What e reaches through a pointer, a slice or a map is shared anyway.
func (a *analysis) share(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := a.pass.Info.Uses[e].(*types.Var); ok {
			a.shared[v] = true
		}
	case *ast.SelectorExpr:
		if a.pass.Info.Selections[e] != nil {
			a.sharePart(e.X)
		}
	case *ast.IndexExpr:
		a.sharePart(e.X)
	}
}

// sharePart marks the variable of a struct or an array of which a part is shared.
func (a *analysis) sharePart(whole ast.Expr) {
	switch types.Unalias(a.pass.Info.TypeOf(whole)).Underlying().(type) {
	case *types.Struct, *types.Array:
		a.share(whole)
	}
}

// writesMemory reports whether a call of a function of the package changes memory that is not its own.
func (a *analysis) writesMemory(call *ast.CallExpr) bool {
	return a.calls(call, map[types.Object]bool{}, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IncDecStmt:
			return a.readsMemory(n.X)
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if n.Tok != token.DEFINE && a.readsMemory(left) {
					return true
				}
			}
		}
		return false
	})
}

// calls reports whether something holds in a function of the package that a call reaches.
func (a *analysis) calls(call *ast.CallExpr, seen map[types.Object]bool, holds func(ast.Node) bool) bool {
	f := a.callee(call)
	if f == nil || seen[f] {
		return false
	}
	seen[f] = true
	found := false
	walk(a.body(f), func(n ast.Node) {
		inner, ok := n.(*ast.CallExpr)
		found = found || holds(n) || ok && a.calls(inner, seen, holds)
	})
	return found
}
