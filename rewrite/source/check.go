// SPDX-License-Identifier: MPL-2.0

package source

import (
	"go/ast"
	"go/importer"
	"go/types"
	"go/version"
)

// check type-checks the package as the compiler would.
func (p *Pass) check(job Job) error {
	p.Info = &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		FileVersions: map[*ast.File]string{},
	}
	files := make([]*ast.File, len(p.Files))
	for i, f := range p.Files {
		files[i] = f.Syntax
	}
	config := types.Config{
		Importer:  importer.ForCompiler(p.Fset, "gc", job.Lookup),
		GoVersion: job.Lang,
		Sizes:     types.SizesFor("gc", job.Arch),
	}
	var err error
	p.Types, err = config.Check(job.Path, p.Fset, files, p.Info)
	return err
}

// Allows reports whether a file may use what came with a version of the language.
func (p *Pass) Allows(f *File, lang string) bool {
	v := p.Info.FileVersions[f.Syntax]
	return v == "" || version.Compare(v, lang) >= 0
}
