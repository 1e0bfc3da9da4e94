// SPDX-License-Identifier: MPL-2.0

package source

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/hmdsefi/faultline/gaps"
)

// unusedPrefix gives a prefix with which no identifier of the package begins, so that a name with it can neither be taken nor
// shadowed.
func unusedPrefix(p *Pass) string {
	prefix := "faultline"
	used := func(f *File) (found bool) {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && strings.HasPrefix(id.Name, prefix)
			return !found
		})
		return found
	}
	for i := 0; i < len(p.Files); i++ {
		if used(p.Files[i]) {
			prefix, i = prefix+"_", -1
		}
	}
	return prefix
}

// Declare declares a function in the added file and returns its name: kind and a number behind the prefix of the package. The
// rest of the declaration follows the name; directives, if any, stand on lines before it. Asked twice for the same declaration
// it returns the same name.
func (p *Pass) Declare(kind, directives, rest string) string {
	key := kind + "\x00" + rest
	if name, ok := p.declared[key]; ok {
		return name
	}
	name := fmt.Sprintf("%s%s%d", p.prefix, kind, len(p.declarations)+1)
	p.declared[key] = name
	p.declarations = append(p.declarations, directives+"func "+name+rest)
	return name
}

// Point returns the name of a function without parameters and results that is a scheduling point. It is inlined up to the
// question whether an exact run goes on in the process.
func (p *Pass) Point() string { return p.prefix + "Point" }

// Predeclared reports whether a predeclared name means in the added file what it means everywhere.
func (p *Pass) Predeclared(name string) bool {
	return p.Types.Scope().Lookup(name) == nil && types.Universe.Lookup(name) != nil
}

// Unsafe is how the added file names a type of package unsafe.
func (p *Pass) Unsafe(name string) string { return p.prefix + "Unsafe." + name }

// added is the text of the added file. It may use type parameters whatever the module's language version is: its build line gives
// it a version of its own.
func (p *Pass) added(list []gaps.Gap) []byte {
	var out strings.Builder
	fmt.Fprintf(&out, `%s

//go:build go1.21

package %s

import %sUnsafe "unsafe"

var _ %s

%[5]s`, generated, p.name, p.prefix, p.Unsafe("Pointer"), p.point())
	for _, d := range p.declarations {
		out.WriteString("\n" + d + "\n")
	}
	if len(list) > 0 {
		out.WriteString(p.register(list))
	}
	return []byte(out.String())
}

// point declares the function of Point.
func (p *Pass) point() string {
	if !p.Predeclared("int32") {
		return fmt.Sprintf("//go:linkname %[1]s runtime.faultlinePoint\nfunc %[1]s()\n", p.Point())
	}
	return fmt.Sprintf(`//go:linkname %[1]sGuard runtime.faultlineGuard
var %[1]sGuard int32

//go:linkname %[1]sSwitch runtime.faultlinePoint
func %[1]sSwitch()

func %[2]s() {
	if %[1]sGuard != 0 {
		%[1]sSwitch()
	}
}
`, p.prefix, p.Point())
}

// register hands the gaps over when the package is initialised.
func (p *Pass) register(list []gaps.Gap) string {
	var out strings.Builder
	name := p.prefix + "Gap"
	fmt.Fprintf(&out, "\n//go:linkname %[1]s runtime.faultlineGap\nfunc %[1]s(line string)\n\nfunc init() {\n", name)
	for _, g := range list {
		fmt.Fprintf(&out, "\t%s(%q)\n", name, gaps.Line(g))
	}
	out.WriteString("}\n")
	return out.String()
}
