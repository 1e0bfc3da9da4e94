// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/hmdsefi/faultline/rewrite/source"
)

// printsAddress reports whether package fmt prints an address for a value of a type. What an interface holds is not known.
func printsAddress(t types.Type, verb rune) bool {
	if strings.ContainsRune("TtcqU", verb) {
		return false
	}
	w := &printer{methods: strings.ContainsRune("vsxXq", verb), seen: map[types.Type]bool{}}
	return w.prints(t, 0, true)
}

// printer follows fmt through a type.
type printer struct {
	methods bool // the verb makes fmt call Error and String
	seen    map[types.Type]bool
}

// prints follows one value. fmt cannot call methods of what it reaches through an unexported field.
func (w *printer) prints(t types.Type, depth int, callable bool) bool {
	if callable && hasMethod(t, "Format") || callable && w.methods && (hasMethod(t, "Error") || hasMethod(t, "String")) {
		return false
	}
	underlying := types.Unalias(t).Underlying()
	if pointer, ok := underlying.(*types.Pointer); ok && (depth > 0 || !isComposite(pointer.Elem())) {
		return true
	}
	if w.seen[t] {
		return false
	}
	w.seen[t] = true
	switch u := underlying.(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Chan, *types.Signature:
		return true
	case *types.Pointer:
		return w.prints(u.Elem(), depth+1, callable)
	case *types.Slice:
		return w.prints(u.Elem(), depth+1, callable)
	case *types.Array:
		return w.prints(u.Elem(), depth+1, callable)
	case *types.Map:
		return w.prints(u.Key(), depth+1, callable) || w.prints(u.Elem(), depth+1, callable)
	case *types.Struct:
		for field := range u.Fields() {
			if w.prints(field.Type(), depth+1, callable && field.Exported()) {
				return true
			}
		}
	}
	return false
}

// isComposite reports whether fmt prints what a pointer to a value of the type points to.
func isComposite(t types.Type) bool {
	switch types.Unalias(t).Underlying().(type) {
	case *types.Array, *types.Slice, *types.Struct, *types.Map:
		return true
	}
	return false
}

// hasMethod reports whether a value of a type has one of the methods that fmt calls, whatever its signature.
func hasMethod(t types.Type, name string) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true // not known
	}
	return types.NewMethodSet(t).Lookup(nil, name) != nil
}

// findAddresses looks for conversions of a pointer to a number.
func findAddresses(p *source.Pass) {
	for f := range p.Changeable() {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && convertsAddress(p, call) {
				p.Gap(f, call.Pos(), "uintptr of unsafe.Pointer", addresses.reason, addresses.cure)
			}
			return true
		})
	}
}

func convertsAddress(p *source.Pass, call *ast.CallExpr) bool {
	return len(call.Args) == 1 && p.Info.Types[call.Fun].IsType() &&
		isBasic(p.Info.TypeOf(call), types.Uintptr) && isBasic(p.Info.TypeOf(call.Args[0]), types.UnsafePointer)
}

func isBasic(t types.Type, kind types.BasicKind) bool {
	if t == nil {
		return false
	}
	b, ok := types.Unalias(t).Underlying().(*types.Basic)
	return ok && b.Kind() == kind
}
