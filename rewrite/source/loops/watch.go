// SPDX-License-Identifier: MPL-2.0

package loops

import (
	"go/ast"
	"go/token"
	"go/types"
)

// watch is what the conditions of a loop read, directly, through variables that the loop sets, and in functions of the package.
// Variables and other memory are known by the text with which the loop names them.
type watch struct {
	analysis   *analysis
	moves      map[string]bool       // what the loop changes step by step, such as i in i++
	sets       map[string][]ast.Expr // what the loop sets variables and memory to
	seen       map[any]bool          // texts and functions looked at
	following  map[string]bool       // texts that led to what is being looked at: one that leads to itself moves
	polled     ast.Expr              // memory that others can change
	clock      bool                  // the conditions depend on the time
	progresses bool                  // the conditions depend on what moves
}

func (a *analysis) watchOf(loop *ast.ForStmt, conditions []ast.Expr) *watch {
	w := &watch{analysis: a, moves: map[string]bool{}, sets: map[string][]ast.Expr{}, seen: map[any]bool{}, following: map[string]bool{}}
	for _, n := range []ast.Node{loop.Cond, loop.Post, loop.Body} {
		walk(n, w.collect)
	}
	for _, c := range conditions {
		w.read(c)
	}
	return w
}

// collect notes what a part of the loop changes.
func (w *watch) collect(n ast.Node) {
	switch n := n.(type) {
	case *ast.IncDecStmt:
		w.moves[types.ExprString(n.X)] = true
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			right := n.Rhs
			if len(n.Rhs) == len(n.Lhs) {
				right = n.Rhs[i : i+1]
			}
			w.assign(n.Tok, left, right)
		}
	case *ast.RangeStmt:
		for _, left := range []ast.Expr{n.Key, n.Value} {
			if left != nil {
				w.assign(n.Tok, left, []ast.Expr{n.X})
			}
		}
	case *ast.ValueSpec:
		for _, name := range n.Names {
			w.assign(token.DEFINE, name, n.Values)
		}
	case *ast.CallExpr:
		w.effects(n)
	}
}

// assign notes an assignment: one that uses the old value is a step.
func (w *watch) assign(tok token.Token, left ast.Expr, right []ast.Expr) {
	text := types.ExprString(left)
	step := tok != token.ASSIGN && tok != token.DEFINE
	for _, r := range right {
		step = step || mentions(r, text)
	}
	if step {
		w.moves[text] = true
	} else {
		w.sets[text] = append(w.sets[text], right...)
	}
}

// effects notes what a call changes. What a function of the package changes could be anything, so the loop is taken to move.
func (w *watch) effects(call *ast.CallExpr) {
	if w.analysis.pass.Info.Types[call.Fun].IsBuiltin() {
		if len(call.Args) > 0 && changesArgument[types.ExprString(call.Fun)] {
			w.moves[types.ExprString(call.Args[0])] = true
		}
		return
	}
	w.progresses = w.progresses || w.analysis.writesMemory(call)
}

var changesArgument = map[string]bool{"clear": true, "copy": true, "delete": true}

// mentions reports whether an expression has a part with the text.
func mentions(e ast.Expr, text string) bool {
	found := false
	walk(e, func(n ast.Node) {
		part, ok := n.(ast.Expr)
		found = found || ok && types.ExprString(part) == text
	})
	return found
}

// read looks at everything that an expression of the loop reads.
func (w *watch) read(e ast.Expr) {
	walk(e, func(n ast.Node) {
		part, ok := n.(ast.Expr)
		if !ok {
			return
		}
		text := types.ExprString(part)
		w.progresses = w.progresses || w.moves[text] || w.following[text]
		if call, ok := part.(*ast.CallExpr); ok {
			w.call(call)
		}
		switch set := w.sets[text]; {
		case set == nil && w.analysis.readsMemory(part):
			w.poll(part)
		case !w.seen[text]:
			w.seen[text] = true
			w.following[text] = true
			for _, value := range set {
				w.read(value)
			}
			delete(w.following, text)
		}
	})
}

func (w *watch) poll(e ast.Expr) {
	if w.polled == nil {
		w.polled = e
	}
}

// call looks for the clock, and for memory in functions of the package.
func (w *watch) call(call *ast.CallExpr) {
	f := w.analysis.callee(call)
	if f == nil || w.seen[f] {
		return
	}
	w.seen[f] = true
	w.clock = w.clock || readsClock(f)
	walk(w.analysis.body(f), func(n ast.Node) {
		switch n := n.(type) {
		case *ast.CallExpr:
			w.call(n)
		case ast.Expr:
			if w.analysis.readsMemory(n) {
				w.poll(call)
			}
		}
	})
}
