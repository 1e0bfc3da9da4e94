// SPDX-License-Identifier: MPL-2.0

package seam

import (
	"bytes"
	"fmt"

	"github.com/dave/dst"
	"github.com/dave/dst/decorator"
)

func parseFile(name string, source []byte) (*dst.File, error) {
	file, err := decorator.Parse(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, nil
}

func printFile(file *dst.File) ([]byte, error) {
	var text bytes.Buffer
	err := decorator.Fprint(&text, file)
	return text.Bytes(), err
}

// statements parses code of a rule. Rules are constants of this package, so a bad one is a bug and panics.
func statements(code string) []dst.Stmt {
	file, err := decorator.Parse("package p\nfunc _() {\n" + code + "\n}\n")
	if err != nil {
		panic(fmt.Sprintf("seam: code of a rule: %v\n%s", err, code))
	}
	list := file.Decls[0].(*dst.FuncDecl).Body.List
	for _, s := range list {
		s.Decorations().Before = dst.NewLine
		s.Decorations().After = dst.NewLine
	}
	return list
}

func parseExpression(code string) dst.Expr {
	x := statements("_ = " + code)[0].(*dst.AssignStmt).Rhs[0]
	return dst.Clone(x).(dst.Expr)
}
