// SPDX-License-Identifier: MPL-2.0

package loops

import (
	"go/ast"
	"go/token"
	"go/types"
)

// exits is how a loop ends.
type exits struct {
	conditions []ast.Expr // those that decide whether it goes on
	always     bool       // it leaves at the end of its first turn
}

// findExits collects the condition of the loop and those around a statement that leaves it, or that skips such a statement.
func findExits(loop *ast.ForStmt) exits {
	v := &exitVisitor{}
	v.visit(loop.Body, 0)
	if loop.Cond != nil {
		v.conditions = append(v.conditions, loop.Cond)
	}
	return exits{conditions: v.conditions, always: v.unconditional && !v.skips}
}

// exitVisitor walks the body of a loop.
type exitVisitor struct {
	guards        []ast.Expr // conditions around the place
	conditions    []ast.Expr
	unconditional bool
	skips         bool
}

// visit walks n, which depth statements that a plain break would leave surround inside the loop.
func (v *exitVisitor) visit(n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.IfStmt:
		v.guarded([]ast.Expr{n.Cond}, depth, n.Init, n.Body, n.Else)
	case *ast.ForStmt:
		v.guarded([]ast.Expr{n.Cond}, depth+1, n.Body)
	case *ast.RangeStmt:
		v.guarded([]ast.Expr{n.X}, depth+1, n.Body)
	case *ast.SwitchStmt:
		v.guarded(switchConditions(n), depth+1, n.Init, n.Body)
	case *ast.TypeSwitchStmt:
		v.guarded([]ast.Expr{typeSwitched(n)}, depth+1, n.Init, n.Body)
	case *ast.ReturnStmt:
		v.leaves()
	case *ast.BranchStmt:
		v.branches(n, depth)
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && types.ExprString(call.Fun) == "panic" {
			v.leaves()
		}
	default:
		v.children(n, depth)
	}
}

// guarded walks nodes that run depending on conditions.
func (v *exitVisitor) guarded(conditions []ast.Expr, depth int, nodes ...ast.Node) {
	before := len(v.guards)
	for _, c := range conditions {
		if c != nil {
			v.guards = append(v.guards, c)
		}
	}
	for _, n := range nodes {
		if n != nil {
			v.visit(n, depth)
		}
	}
	v.guards = v.guards[:before]
}

// children walks the statements of which n consists.
func (v *exitVisitor) children(n ast.Node, depth int) {
	ast.Inspect(n, func(child ast.Node) bool {
		if child == n {
			return true
		}
		if s, ok := child.(ast.Stmt); ok {
			v.visit(s, depth)
		}
		return false
	})
}

func (v *exitVisitor) branches(b *ast.BranchStmt, depth int) {
	switch {
	case b.Tok == token.CONTINUE && b.Label == nil && depth == 0:
		v.skips = true
		v.conditions = append(v.conditions, v.guards...)
	case b.Tok == token.CONTINUE && b.Label == nil, b.Tok == token.BREAK && b.Label == nil && depth > 0, b.Tok == token.FALLTHROUGH:
	default:
		v.leaves()
	}
}

func (v *exitVisitor) leaves() {
	v.unconditional = v.unconditional || len(v.guards) == 0
	v.conditions = append(v.conditions, v.guards...)
}

// switchConditions gives the tag and the cases.
func switchConditions(s *ast.SwitchStmt) []ast.Expr {
	list := []ast.Expr{s.Tag}
	for _, c := range s.Body.List {
		list = append(list, c.(*ast.CaseClause).List...)
	}
	return list
}

// typeSwitched is the value whose type is looked at.
func typeSwitched(s *ast.TypeSwitchStmt) ast.Expr {
	switch assign := s.Assign.(type) {
	case *ast.AssignStmt:
		return assign.Rhs[0]
	case *ast.ExprStmt:
		return assign.X
	}
	return nil
}
