// SPDX-License-Identifier: MPL-2.0

package reach

import (
	"go/ast"
	"go/token"
	"path/filepath"
)

// Lines says of lines of one package whether processes reach them.
type Lines struct{ functions map[string][]span }

// span is a function in a file.
type span struct {
	first, last int
	reached     bool
}

// In returns the lines of files that the analysed programs hold.
func (r *Reach) In(fset *token.FileSet, files []*ast.File) *Lines {
	l := &Lines{functions: map[string][]span{}}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			start := token.NoPos
			switch n := n.(type) {
			case *ast.FuncDecl: // with its directives
				start = n.Pos()
				if n.Doc != nil {
					start = n.Doc.Pos()
				}
			case *ast.FuncLit:
				start = n.Pos()
			default:
				return true
			}
			from, to := fset.PositionFor(start, true), fset.PositionFor(n.End(), true)
			name := filepath.Base(from.Filename)
			l.functions[name] = append(l.functions[name], span{from.Line, to.Line, r.syntax[n]})
			return true
		})
	}
	return l
}

// Reached reports whether processes reach a line: the innermost function around it, or one of several that are there alike. What
// is in no function runs before all of them.
func (l *Lines) Reached(file string, line int) bool {
	best, reached := -1, false
	for _, s := range l.functions[file] {
		if line < s.first || line > s.last {
			continue
		}
		switch size := s.last - s.first; {
		case best < 0 || size < best:
			best, reached = size, s.reached
		case size == best:
			reached = reached || s.reached
		}
	}
	return reached
}
