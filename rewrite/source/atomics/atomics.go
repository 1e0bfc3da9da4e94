// SPDX-License-Identifier: MPL-2.0

// Package atomics owns the rule that puts a scheduling point before every operation of package sync/atomic. The compiler turns
// these operations into instructions, so that the runtime cannot have a point in them.
//
// The point comes after the arguments are evaluated, which x.Store(x.Load()+1) needs, and no form adds a function literal to the
// user's code, which would number the literals there anew:
//
//	x.Store(v)       x.Store(args(v))     args passes a point and returns what it gets
//	x.Load()         point(&x).Load()     point passes a point and returns what it gets, as cheap as can be
//	s.Load()         call(s.Load)()       for a promoted method: call passes a point and returns the function
//	f := x.Load      f := value(x.Load)   value returns a function that passes a point and calls the other one
//
// Functions such as atomic.AddInt64 are operations like methods. Operands of go and defer, and method expressions that are not
// called, are values. The rule does not see an atomic value through an interface or a type parameter.
package atomics

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/rewrite/source"
)

// Rule is the rule.
func Rule() source.Rule { return source.Rule{Wants: wants, Run: run} }

// names are those of the methods, and what the functions' names begin with.
var names = []string{"Load", "Store", "Add", "Swap", "CompareAndSwap", "And", "Or"}

// wants goes by the name alone.
func wants(n ast.Node) bool {
	id, ok := n.(*ast.Ident)
	return ok && slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(id.Name, name) })
}

func run(p *source.Pass) {
	for f := range p.Changeable() {
		var stack []ast.Node
		var visit func(n ast.Node) bool
		visit = func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if operation := operationAt(p.Info, n); operation != nil {
				wrap(p, f, operation, stack)
			}
			if selector, ok := n.(*ast.SelectorExpr); ok { // its second part alone is no operation
				stack = append(stack, n)
				ast.Inspect(selector.X, visit)
				stack = stack[:len(stack)-1]
				return false
			}
			stack = append(stack, n)
			return true
		}
		ast.Inspect(f.Syntax, visit)
	}
}

// operationAt returns n if it names an operation of package sync/atomic.
func operationAt(info *types.Info, n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if isOperation(info.Uses[n.Sel]) && !source.CountsCoverage(n) {
			return n
		}
	case *ast.Ident: // with a dot import
		if f := info.Uses[n]; isOperation(f) && f.(*types.Func).Signature().Recv() == nil {
			return n
		}
	}
	return nil
}

func isOperation(o types.Object) bool {
	f, ok := o.(*types.Func)
	return ok && f.Pkg() != nil && f.Pkg().Path() == "sync/atomic"
}

// wrap gives the operation its point. The stack holds the nodes around it.
func wrap(p *source.Pass, f *source.File, operation ast.Expr, stack []ast.Node) {
	h, prefix, open, end := value, "", operation.Pos(), operation.End()
	sig := p.Info.TypeOf(operation).(*types.Signature)
	call, deferred := callOf(operation, stack)
	switch {
	case call == nil || deferred:
	case len(call.Args) > 0 && inferable(p, sig, call):
		h, open, end = passing, call.Lparen+1, call.Rparen
	default:
		h = direct
		if x, pointer := receiver(p, operation); x != nil && p.Allows(f, "go1.18") {
			h, open, end = through, x.Pos(), x.End()
			sig = types.NewSignatureType(nil, nil, nil, types.NewTuple(types.NewParam(0, nil, "", pointer)), nil, false)
			if !isPointer(p.Info.TypeOf(x)) {
				prefix = "&"
			}
		}
	}
	name, ok := declare(p, f, h, sig)
	if !ok {
		p.Gap(f, operation.Pos(), types.ExprString(operation),
			"no other goroutine runs right before it: a point here needs type parameters, which the module's language version does not have",
			"raise the go line of go.mod to 1.18 or later")
		return
	}
	p.Insert(f, open, name+"("+prefix)
	p.Insert(f, end, ")")
}

// receiver returns the receiver of a method that is not promoted from an embedded field, and the type of a pointer to it.
func receiver(p *source.Pass, operation ast.Expr) (x ast.Expr, pointer types.Type) {
	selector, ok := operation.(*ast.SelectorExpr)
	if !ok {
		return nil, nil
	}
	selection := p.Info.Selections[selector]
	if selection == nil || selection.Kind() != types.MethodVal || len(selection.Index()) != 1 {
		return nil, nil
	}
	t := selection.Recv()
	if !isPointer(t) {
		t = types.NewPointer(t)
	}
	return selector.X, t
}

func isPointer(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok
}

// callOf returns the call whose function is the operation, or nil; deferred if it is one of a go or defer statement.
func callOf(operation ast.Expr, stack []ast.Node) (call *ast.CallExpr, deferred bool) {
	i := len(stack) - 1
	for ; i >= 0; i-- {
		if _, ok := stack[i].(*ast.ParenExpr); !ok {
			break
		}
	}
	if i < 0 {
		return nil, false
	}
	call, ok := stack[i].(*ast.CallExpr)
	if !ok || ast.Unparen(call.Fun) != operation {
		return nil, false
	}
	if i > 0 {
		switch stack[i-1].(type) {
		case *ast.GoStmt, *ast.DeferStmt:
			deferred = true
		}
	}
	return call, deferred
}
