// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/hmdsefi/faultline/rewrite/source"
)

const everyFunction = "*"

// findings is the table by package and name.
var findings = func() map[string]map[string]finding {
	byPackage := map[string]map[string]finding{}
	for path, rows := range table {
		byPackage[path] = map[string]finding{}
		for _, r := range rows {
			for name := range strings.FieldsSeq(r.names) {
				byPackage[path][name] = r.finding
			}
		}
	}
	return byPackage
}()

// methods are the names of the table's methods, which are called in packages that do not import the type's.
var methods = func() map[string]bool {
	names := map[string]bool{}
	for _, rows := range findings {
		for name := range rows {
			if _, method, ok := strings.Cut(name, "."); ok {
				names[method] = true
			}
		}
	}
	return names
}()

func wantsCall(n ast.Node) bool {
	if selector, ok := n.(*ast.SelectorExpr); ok {
		return methods[selector.Sel.Name]
	}
	return imports(n, func(path string) bool { return findings[path] != nil })
}

// findCalls looks for the names of the table: a function that is passed on is as good as called.
func findCalls(p *source.Pass) {
	for f := range p.Changeable() {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if name, found, ok := lookup(p.Info.Uses[id]); ok {
					p.Gap(f, id.Pos(), name, found.reason, found.cure)
				}
			}
			return true
		})
	}
}

// lookup finds an object in the table.
func lookup(o types.Object) (construct string, f finding, ok bool) {
	if o == nil || o.Pkg() == nil || findings[o.Pkg().Path()] == nil {
		return "", finding{}, false
	}
	rows, name, function := findings[o.Pkg().Path()], o.Name(), false
	switch o := o.(type) {
	case *types.Func:
		receiver := receiverName(o)
		name, function = receiver+name, receiver == ""
	case *types.Var:
		if o.Kind() != types.PackageVar {
			return "", finding{}, false
		}
	default:
		return "", finding{}, false
	}
	f, ok = rows[name]
	if !ok && function && !harmless[name] {
		f, ok = rows[everyFunction]
	}
	return o.Pkg().Name() + "." + name, f, ok
}

// receiverName is the type of a method and a dot.
func receiverName(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		return ""
	}
	t := types.Unalias(recv.Type())
	if pointer, ok := t.(*types.Pointer); ok {
		t = types.Unalias(pointer.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name() + "."
	}
	return "." // of an interface: the table has none
}
