// SPDX-License-Identifier: MPL-2.0

// Package loops owns the rule that puts a scheduling point at the head of a loop that could spin: one that passes no other point
// and ends only when another goroutine, or the clock, changes what its conditions read.
//
//	for !done {      for !done {point();
//	}                }
//
// Such a loop that polls a variable is a data race, and one that polls the clock turns until the run is stopped, since virtual
// time stands still meanwhile: both are gaps, as is a loop without an end. Loops over atomic operations have the points of those.
//
// The rule reads functions of the package that a loop calls, but no function values: a call of one counts as a point, and so
// does a call into another package unless it is known to be quiet. Loops made of goto are not seen.
package loops

import (
	"go/ast"
	"go/types"

	"github.com/hmdsefi/faultline/rewrite/source"
)

// Rule is the rule.
func Rule() source.Rule { return source.Rule{Wants: wants, Run: run} }

// wants leaves out loops that obviously count.
func wants(n ast.Node) bool {
	loop, ok := n.(*ast.ForStmt)
	return ok && !counts(loop)
}

// counts reports whether the condition of a loop depends on what its third clause moves.
func counts(loop *ast.ForStmt) bool {
	post, ok := loop.Post.(*ast.IncDecStmt)
	return ok && mentions(loop.Cond, types.ExprString(post.X))
}

func run(p *source.Pass) {
	a := newAnalysis(p)
	for f := range p.Changeable() {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if loop, ok := n.(*ast.ForStmt); ok && !counts(loop) {
				a.rewrite(f, loop)
			}
			return true
		})
	}
}

// rewrite gives a loop that could spin its point.
func (a *analysis) rewrite(f *source.File, loop *ast.ForStmt) {
	if a.passesPoint(loop.Cond) || a.passesPoint(loop.Body) || a.passesPoint(loop.Post) {
		return
	}
	exits := findExits(loop)
	if exits.always {
		return
	}
	w := a.watchOf(loop, exits.conditions)
	g, ok := w.verdict(len(exits.conditions))
	if !ok {
		return
	}
	a.pass.Insert(f, loop.Body.Lbrace+1, a.pass.Point()+"();")
	a.pass.Gap(f, loop.Pos(), g.construct, g.reason, g.cure)
}

// gap is what the record says of a loop.
type gap struct{ construct, reason, cure string }

// verdict says what is wrong with a loop; ok is false if it does not spin.
func (w *watch) verdict(exits int) (g gap, ok bool) {
	switch {
	case w.progresses:
		return gap{}, false
	case exits == 0:
		return gap{"loop without an end", "it keeps its goroutine busy for ever, so that virtual time stands still", "block instead, with select {}"}, true
	case w.clock:
		return gap{"loop that polls the clock", "virtual time stands still while a goroutine is busy",
			"wait with time.Sleep or a timer"}, true
	case w.polled != nil:
		return gap{"loop that polls " + types.ExprString(w.polled), "it reads without synchronisation what another goroutine changes",
			"use sync/atomic, a channel or sync.Cond"}, true
	}
	return gap{}, false
}
