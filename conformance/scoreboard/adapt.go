// SPDX-License-Identifier: MPL-2.0

package scoreboard

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// packageName is the package that the adapted kernels are in, and the path of its module.
const packageName = "goker"

// Names that the adapted kernels use and that the table file of their package declares.
const (
	tableName = "kernels"     // map of entry functions by kernel
	copyName  = "kernelsCopy" // which of the copies that a kernel would start this run is
)

// adapt changes a kernel's file so that it can run once per seed in a test: it joins package goker, writes no profile, and starts
// one copy of the program instead of hundreds, the one that kernelsCopy picks. Lines stay where they are, and functions keep
// their names, those of closures too, so that stacks fit the file in GOROOT. The source is changed as text, never moved.
func adapt(name string, src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	a := adaptation{fset: fset, src: src}
	a.replace(file.Name, packageName)
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
			a.entry(f.Body)
		}
	}
	a.imports(file)
	return a.apply()
}

// adaptation collects what changes in a file.
type adaptation struct {
	fset  *token.FileSet
	src   []byte
	edits []edit
	errs  []error
}

// edit replaces the bytes from start to end.
type edit struct {
	start, end token.Pos
	text       string
}

func (a *adaptation) replace(n ast.Node, text string) {
	a.edits = append(a.edits, edit{n.Pos(), n.End(), text})
}

// blank removes the source between two positions but keeps its lines.
func (a *adaptation) blank(start, end token.Pos) {
	lines := strings.Count(string(a.src[a.offset(start):a.offset(end)]), "\n")
	a.edits = append(a.edits, edit{start, end, strings.Repeat("\n", lines)})
}

func (a *adaptation) offset(p token.Pos) int { return a.fset.Position(p).Offset }

// entry adapts the function that asks for the leak profile: that is the program's main function.
func (a *adaptation) entry(body *ast.BlockStmt) {
	profile := slices.IndexFunc(body.List, asksForProfile)
	if profile < 0 {
		return
	}
	a.blank(body.List[profile].Pos(), body.List[profile].End())
	for _, stmt := range body.List {
		switch s := stmt.(type) {
		case *ast.DeferStmt:
			if f, ok := s.Call.Fun.(*ast.FuncLit); ok && writesProfile(f) {
				a.blank(f.Body.Lbrace+1, f.Body.Rbrace)
			}
		case *ast.ForStmt:
			a.one(s)
		case *ast.RangeStmt:
			a.errs = append(a.errs, fmt.Errorf("%s: a range loop; only loops that count from 0 can be cut to one copy", a.fset.Position(s.Pos())))
		}
	}
}

func asksForProfile(stmt ast.Stmt) bool {
	s, ok := stmt.(*ast.AssignStmt)
	if !ok {
		return false
	}
	call, ok := s.Rhs[0].(*ast.CallExpr)
	return ok && len(call.Args) == 1 && isSelector(call.Fun, "pprof", "Lookup")
}

func isSelector(e ast.Expr, x, sel string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == x && s.Sel.Name == sel
}

func writesProfile(f *ast.FuncLit) (writes bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		writes = writes || ok && s.Sel.Name == "WriteTo"
		return !writes
	})
	return writes
}

// one turns a loop that counts from 0 into one pass, with the number that the copy of this run has.
func (a *adaptation) one(loop *ast.ForStmt) {
	start, limit, ok := counts(loop)
	if !ok {
		a.errs = append(a.errs, fmt.Errorf("%s: a loop that does not count from 0; it cannot be cut to one copy", a.fset.Position(loop.Pos())))
		return
	}
	n := string(a.src[a.offset(limit.Y.Pos()):a.offset(limit.Y.End())])
	if limit.Op == token.LEQ {
		n += " + 1"
	}
	this := fmt.Sprintf("%s %% (%s)", copyName, n)
	a.replace(start, this)
	a.replace(limit, fmt.Sprintf("%s == %s", limit.X.(*ast.Ident).Name, this))
}

// counts takes apart "for i := 0; i < n; i++", also with <=.
func counts(loop *ast.ForStmt) (start ast.Expr, limit *ast.BinaryExpr, ok bool) {
	init, ok1 := loop.Init.(*ast.AssignStmt)
	limit, ok2 := loop.Cond.(*ast.BinaryExpr)
	step, ok3 := loop.Post.(*ast.IncDecStmt)
	if !ok1 || !ok2 || !ok3 || len(init.Rhs) != 1 || step.Tok != token.INC || limit.Op != token.LSS && limit.Op != token.LEQ {
		return nil, nil, false
	}
	zero, ok1 := init.Rhs[0].(*ast.BasicLit)
	_, ok2 = limit.X.(*ast.Ident)
	return init.Rhs[0], limit, ok1 && ok2 && zero.Value == "0"
}

// imports keeps the imports of packages that are no longer used, for their side effects only.
func (a *adaptation) imports(file *ast.File) {
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if n != nil && a.removed(n) {
			return false
		}
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		a.errs = append(a.errs, err)
		if spec.Name == nil && !used[path.Base(importPath)] {
			a.replace(spec.Path, "_ "+spec.Path.Value)
		}
	}
}

func (a *adaptation) removed(n ast.Node) bool {
	return slices.ContainsFunc(a.edits, func(e edit) bool { return e.start <= n.Pos() && n.End() <= e.end })
}

func (a *adaptation) apply() ([]byte, error) {
	if err := errors.Join(a.errs...); err != nil {
		return nil, err
	}
	slices.SortFunc(a.edits, func(x, y edit) int { return cmp.Compare(x.start, y.start) })
	var out []byte
	at := 0
	for _, e := range a.edits {
		out = append(out, a.src[at:a.offset(e.start)]...)
		out = append(out, e.text...)
		at = a.offset(e.end)
	}
	return append(out, a.src[at:]...), nil
}
