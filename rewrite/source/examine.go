// SPDX-License-Identifier: MPL-2.0

package source

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hmdsefi/faultline/gaps"
)

// Checked is a package that somebody else parsed, with comments, and type-checked, with every map that rules read.
type Checked struct {
	Path   string // import path
	Folder string // as in Job
	Dir    string // as in Job
	Fset   *token.FileSet
	Files  []*ast.File
	Types  *types.Package
	Info   *types.Info
	// Keep reports whether a file is none that rules look at. Nil keeps none.
	Keep func(*ast.File) bool
}

// Examine returns the gaps that Rewrite would record of the package, without changing anything.
func Examine(c Checked, rules ...Rule) []gaps.Gap {
	p := &Pass{
		Folder: cmp.Or(c.Folder, c.Path), Dir: c.Dir, Fset: c.Fset, Types: c.Types, Info: c.Info,
		declared: map[string]string{},
	}
	for _, syntax := range c.Files {
		name := c.Fset.File(syntax.FileStart).Name()
		p.name = syntax.Name.Name
		p.Files = append(p.Files, &File{Name: name, Syntax: syntax, keep: c.Keep != nil && c.Keep(syntax)})
	}
	directives := findDirectives(p)
	if len(directives) == 0 && !p.wanted(rules) {
		return nil
	}
	p.prefix = unusedPrefix(p)
	p.run(rules, directives)
	return p.gaps
}
