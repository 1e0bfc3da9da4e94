// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/rewrite/source"
)

// dialing are types of package net/http whose values use the machine's network unless one of some fields says otherwise.
var dialing = map[string][]string{
	"Client":    {"Transport"},
	"Transport": {"Dial", "DialContext", "DialTLSContext"},
}

func wantsLiteral(n ast.Node) bool {
	return imports(n, func(path string) bool { return path == "net/http" })
}

// findLiterals looks for composite literals of the types.
func findLiterals(p *source.Pass) {
	for f := range p.Changeable() {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if literal, ok := n.(*ast.CompositeLit); ok {
				if name := dials(p, literal); name != "" {
					fields := dialing[name]
					p.Gap(f, literal.Pos(), "http."+name+" without "+fields[0], realNetwork.reason, "set "+strings.Join(fields, ", or "))
				}
			}
			return true
		})
	}
}

// dials is the name of a literal's type, if the type is one of the table and no field says how to dial.
func dials(p *source.Pass, literal *ast.CompositeLit) string {
	named, ok := types.Unalias(p.Info.TypeOf(literal)).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "net/http" {
		return ""
	}
	fields := dialing[named.Obj().Name()]
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok || slices.Contains(fields, types.ExprString(pair.Key)) {
			return ""
		}
	}
	if fields == nil {
		return ""
	}
	return named.Obj().Name()
}
