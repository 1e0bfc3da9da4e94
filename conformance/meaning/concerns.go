// SPDX-License-Identifier: MPL-2.0

package meaning

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// concerned reports whether the wrapper has any business in a program: it has channels, select, goroutines, maps, range, defer,
// recover, closures, type parameters, atomics, locks, or a loop that could spin.
func (p Program) concerned() bool {
	for _, pkg := range p.packages {
		for _, path := range pkg.paths {
			// A file with errors is left to the compiler, whose errors are compared.
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil || hasConcern(file) {
				return true
			}
		}
	}
	return false
}

func hasConcern(file *ast.File) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		found = found || isConcern(n)
		return !found
	})
	return found
}

func isConcern(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ChanType, *ast.SelectStmt, *ast.GoStmt, *ast.MapType, *ast.RangeStmt, *ast.DeferStmt, *ast.FuncLit:
		return true
	case *ast.FuncType:
		return n.TypeParams != nil
	case *ast.TypeSpec:
		return n.TypeParams != nil
	case *ast.ForStmt: // without a step of its own it may wait for something
		return n.Post == nil
	case *ast.ImportSpec:
		return n.Path.Value == `"sync"` || n.Path.Value == `"sync/atomic"`
	case *ast.Ident:
		return n.Name == "recover"
	}
	return false
}
