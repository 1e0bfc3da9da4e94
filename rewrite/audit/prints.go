// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"github.com/hmdsefi/faultline/rewrite/source"
)

// printing are the packages whose functions and methods with a last parameter ...any print it, as fmt.Print does. In any other
// package only those do whose name ends in f, behind a format.
var printing = map[string]bool{"fmt": true, "log": true, "log/slog": true, "testing": true}

var printed = finding{"the printed text holds an address, which differs from process to process", "print what it points to, or a number of its own"}

// wantsPrint goes by the name: the formatting functions of other packages are many.
func wantsPrint(n ast.Node) bool {
	if call, ok := n.(*ast.CallExpr); ok {
		switch fun := ast.Unparen(call.Fun).(type) {
		case *ast.SelectorExpr:
			return len(call.Args) > 1 && strings.HasSuffix(fun.Sel.Name, "f")
		case *ast.Ident:
			return fun.Name == "print" || fun.Name == "println" || len(call.Args) > 1 && strings.HasSuffix(fun.Name, "f")
		}
	}
	return imports(n, func(path string) bool { return printing[path] })
}

// findPrints looks for arguments that are printed as addresses.
func findPrints(p *source.Pass) {
	for f := range p.Changeable() {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && !call.Ellipsis.IsValid() {
				findPrint(p, f, call)
			}
			return true
		})
	}
}

func findPrint(p *source.Pass, f *source.File, call *ast.CallExpr) {
	name, args := arguments(p, call)
	for _, a := range args {
		if t := p.Info.TypeOf(a.value); t != nil && (a.verb == 'p' || printsAddress(t, a.verb)) {
			p.Gap(f, a.value.Pos(), name+" %"+string(a.verb)+" of "+typeText(p, t), printed.reason, printed.cure)
		}
	}
}

func typeText(p *source.Pass, t types.Type) string {
	return types.TypeString(t, func(other *types.Package) string {
		if other == p.Types {
			return ""
		}
		return other.Name()
	})
}

// argument is a printed value and the verb that prints it.
type argument struct {
	value ast.Expr
	verb  rune
}

// arguments gives what a call prints, none if it prints nothing.
func arguments(p *source.Pass, call *ast.CallExpr) (name string, list []argument) {
	if name, ok := builtin(p, call); ok {
		for _, a := range call.Args {
			list = append(list, argument{a, 'd'}) // the runtime's print calls no methods
		}
		return name, list
	}
	callee := p.Callee(call)
	if callee == nil || !isVariadicAny(callee.Signature()) || strings.Contains(strings.ToLower(callee.Name()), "scan") {
		return "", nil
	}
	first := callee.Signature().Params().Len() - 1
	if len(call.Args) <= first { // nothing is printed, or what a call returns
		return "", nil
	}
	values := call.Args[first:]
	switch {
	case strings.HasSuffix(callee.Name(), "f") && first > 0:
		return calleeText(callee), formatted(p, call.Args[first-1], values)
	case callee.Pkg() != nil && printing[callee.Pkg().Path()]:
		for _, v := range values {
			list = append(list, argument{v, 'v'})
		}
	}
	return calleeText(callee), list
}

func builtin(p *source.Pass, call *ast.CallExpr) (name string, ok bool) {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || id.Name != "print" && id.Name != "println" {
		return "", false
	}
	_, ok = p.Info.Uses[id].(*types.Builtin)
	return id.Name, ok
}

func calleeText(f *types.Func) string {
	name := strings.TrimPrefix(receiverName(f)+f.Name(), ".")
	if f.Pkg() == nil {
		return name
	}
	return f.Pkg().Name() + "." + strings.Replace(name, "common.", "T.", 1) // where testing.T and testing.B have their methods from
}

func isVariadicAny(s *types.Signature) bool {
	if !s.Variadic() {
		return false
	}
	slice, ok := types.Unalias(s.Params().At(s.Params().Len() - 1).Type()).(*types.Slice)
	if !ok {
		return false
	}
	element, ok := types.Unalias(slice.Elem()).Underlying().(*types.Interface)
	return ok && element.Empty()
}

// formatted pairs the values with the verbs of a constant format.
func formatted(p *source.Pass, format ast.Expr, values []ast.Expr) (list []argument) {
	text := p.Info.Types[format].Value
	if text == nil || text.Kind() != constant.String {
		return nil
	}
	for _, v := range verbs(constant.StringVal(text)) {
		if v.index < len(values) {
			list = append(list, argument{values[v.index], v.verb})
		}
	}
	return list
}
