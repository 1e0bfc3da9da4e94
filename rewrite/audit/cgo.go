// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"go/ast"
	"strings"

	"github.com/hmdsefi/faultline/rewrite/source"
)

var throughC = finding{"C code runs outside the simulated world, and no other goroutine of the run meanwhile", "put it behind an interface that the test replaces"}

// converting are functions that cgo writes in Go.
var converting = map[string]bool{"CBytes": true, "CString": true, "GoBytes": true, "GoString": true, "GoStringN": true}

func wantsC(n ast.Node) bool {
	id, ok := n.(*ast.Ident)
	return ok && functionOfC(id.Name) != ""
}

// functionOfC is the C function that a name stands for which cgo put into the place of C.function.
func functionOfC(name string) string {
	function, ok := strings.CutPrefix(name, "_Cfunc_")
	if !ok {
		function, ok = strings.CutPrefix(name, "_C2func_") // with errno
	}
	switch {
	case !ok || converting[function]:
		return ""
	case function == "_CMalloc":
		return "malloc"
	}
	return function
}

// findC looks for calls of C functions. The compiler never sees the import of C, but what cgo made of it.
func findC(p *source.Pass) {
	for f := range p.Changeable() {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && wantsC(id) {
				p.Gap(f, id.Pos(), "C."+functionOfC(id.Name), throughC.reason, throughC.cure)
			}
			return true
		})
	}
}
