// SPDX-License-Identifier: MPL-2.0

package atomics

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/hmdsefi/faultline/rewrite/source"
)

// shape is how a helper's signature is written: a type that the added file cannot name, or that is not the same type in all
// its uses, is a type parameter.
type shape struct {
	params, results []string
	generic         []types.Type // the type of each type parameter
}

// helper makes what follows the name in the declaration of a helper.
type helper struct {
	kind, directives string
	declaration      func(s shape, point string) string
}

var (
	passing = helper{kind: "Args", declaration: func(s shape, point string) string {
		types := strings.Join(s.params, ", ")
		return fmt.Sprintf("%s(%s) (%s) { %s(); return %s }", s.brackets(), s.named(), types, point, s.arguments())
	}}
	through = helper{kind: "Point", declaration: func(s shape, point string) string {
		return fmt.Sprintf("%s(p %[2]s) %[2]s { %[3]s(); return p }", s.brackets(), s.params[0], point)
	}}
	direct = helper{kind: "Call", declaration: func(s shape, point string) string {
		return fmt.Sprintf("%s(f %[2]s) %[2]s { %[3]s(); return f }", s.brackets(), s.function(""), point)
	}}
	// Not inlined, so that its function literal is not numbered among the user's.
	value = helper{kind: "Value", directives: "//go:noinline\n", declaration: func(s shape, point string) string {
		body := "f(" + s.arguments() + ")"
		if len(s.results) > 0 {
			body = "return " + body
		}
		return fmt.Sprintf("%s(f %[2]s) %[2]s { return %[3]s { %[4]s(); %[5]s } }",
			s.brackets(), s.function(""), s.function("a"), point, body)
	}}
)

// declare declares a helper for operations of a signature, unless the language of the file is too old for it.
func declare(p *source.Pass, f *source.File, h helper, sig *types.Signature) (name string, ok bool) {
	s := shapeOf(p, sig.Params(), sig.Results())
	if h.kind == passing.kind {
		s = shapeOf(p, sig.Params(), nil)
	}
	if len(s.generic) > 0 && !p.Allows(f, "go1.18") {
		return "", false
	}
	return p.Declare(h.kind, h.directives, h.declaration(s, p.Point())), true
}

func shapeOf(p *source.Pass, params, results *types.Tuple) shape {
	var s shape
	for v := range params.Variables() {
		s.params = append(s.params, s.name(p, v.Type()))
	}
	for v := range results.Variables() {
		s.results = append(s.results, s.name(p, v.Type()))
	}
	return s
}

// name writes a type.
func (s *shape) name(p *source.Pass, t types.Type) string {
	if text, ok := universal(p, t); ok {
		return text
	}
	for i, known := range s.generic {
		if types.Identical(known, t) {
			return fmt.Sprintf("T%d", i)
		}
	}
	s.generic = append(s.generic, t)
	return fmt.Sprintf("T%d", len(s.generic)-1)
}

// universal writes a type that needs no import: a basic type, a pointer to one, or an empty interface.
func universal(p *source.Pass, t types.Type) (text string, ok bool) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return p.Unsafe("Pointer"), true
		}
		return t.Name(), p.Predeclared(t.Name())
	case *types.Pointer:
		if _, ok := types.Unalias(t.Elem()).(*types.Basic); ok {
			text, ok := universal(p, t.Elem())
			return "*" + text, ok
		}
	case *types.Interface:
		return "interface{}", t.Empty()
	}
	return "", false
}

// brackets is the list of type parameters.
func (s shape) brackets() string {
	if len(s.generic) == 0 {
		return ""
	}
	var list []string
	for i := range s.generic {
		list = append(list, fmt.Sprintf("T%d", i))
	}
	return "[" + strings.Join(list, ", ") + " interface{}]"
}

// function is the type of the operation; with a name for its parameters, the beginning of a function literal.
func (s shape) function(param string) string {
	params := strings.Join(s.params, ", ")
	if param != "" {
		params = s.named()
	}
	return strings.TrimSpace("func(" + params + ") " + strings.Join(s.results, ", "))
}

func (s shape) named() string {
	var list []string
	for i, t := range s.params {
		list = append(list, fmt.Sprintf("a%d %s", i, t))
	}
	return strings.Join(list, ", ")
}

func (s shape) arguments() string {
	var list []string
	for i := range s.params {
		list = append(list, fmt.Sprintf("a%d", i))
	}
	return strings.Join(list, ", ")
}

// inferable reports whether the arguments of a call say what the type parameters of their helper are: nil and constants do not,
// and an argument of another, assignable type says something else.
func inferable(p *source.Pass, sig *types.Signature, call *ast.CallExpr) bool {
	args := argumentTypes(p.Info, call)
	for _, t := range shapeOf(p, sig.Params(), nil).generic {
		if !says(sig.Params(), args, t) {
			return false
		}
	}
	return true
}

func says(params *types.Tuple, args []types.Type, t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.Basic); ok {
		return false
	}
	for i, arg := range args {
		if types.Identical(params.At(i).Type(), t) && types.Identical(arg, t) {
			return true
		}
	}
	return false
}

// argumentTypes gives the types of the arguments, which may be the results of one call.
func argumentTypes(info *types.Info, call *ast.CallExpr) []types.Type {
	var list []types.Type
	for _, arg := range call.Args {
		if results, ok := info.TypeOf(arg).(*types.Tuple); ok {
			for v := range results.Variables() {
				list = append(list, v.Type())
			}
			continue
		}
		list = append(list, info.TypeOf(arg))
	}
	return list
}
