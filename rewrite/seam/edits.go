// SPDX-License-Identifier: MPL-2.0

package seam

import (
	"github.com/dave/dst"
	"github.com/dave/dst/dstutil"
)

// Code in edits is Go source. In patterns an identifier that begins with an underscore and ends in a digit (_1, _2, …) stands
// for any expression, and a block that holds only the identifier _etc stands for any block.

// atStart puts code before the first statement of a function.
type atStart struct{ code string }

func (e atStart) apply(scope dst.Node) int {
	f, ok := scope.(*dst.FuncDecl)
	if !ok || f.Body == nil {
		return 0
	}
	f.Body.List = append(statements(e.code), f.Body.List...)
	return 1
}

// atEnd puts code behind the last statement of a function.
type atEnd struct{ code string }

func (e atEnd) apply(scope dst.Node) int {
	f, ok := scope.(*dst.FuncDecl)
	if !ok || f.Body == nil {
		return 0
	}
	f.Body.List = append(f.Body.List, statements(e.code)...)
	return 1
}

// before puts code in front of each statement like the pattern.
type before struct{ pattern, code string }

func (e before) apply(scope dst.Node) int {
	return eachStatement(scope, e.pattern, func(c *dstutil.Cursor, _ bindings) {
		for _, s := range statements(e.code) {
			c.InsertBefore(s)
		}
	})
}

// after puts code behind each statement like the pattern.
type after struct{ pattern, code string }

func (e after) apply(scope dst.Node) int {
	return eachStatement(scope, e.pattern, func(c *dstutil.Cursor, _ bindings) {
		code := statements(e.code)
		for i := len(code) - 1; i >= 0; i-- {
			c.InsertAfter(code[i])
		}
	})
}

// instead replaces each statement like the pattern by code, in which _1, _2, … stand for what they stood for in the pattern.
type instead struct{ pattern, code string }

func (e instead) apply(scope dst.Node) int {
	return eachStatement(scope, e.pattern, func(c *dstutil.Cursor, bound bindings) {
		code := statements(e.code)
		for i := range code {
			code[i] = substitute(code[i], bound)
		}
		if labelled, ok := c.Node().(*dst.LabeledStmt); ok {
			code[0] = &dst.LabeledStmt{Label: labelled.Label, Stmt: code[0]}
		}
		code[0].Decorations().Start = c.Node().Decorations().Start
		for _, s := range code {
			c.InsertBefore(s)
		}
		c.Delete()
	})
}

// expression replaces each expression like the pattern by code, in which _1, _2, … stand as in instead.
type expression struct{ pattern, code string }

func (e expression) apply(scope dst.Node) int {
	n := 0
	pattern := parseExpression(e.pattern)
	dstutil.Apply(scope, func(c *dstutil.Cursor) bool {
		x, ok := c.Node().(dst.Expr)
		if !ok {
			return true
		}
		bound := bindings{}
		if !match(pattern, x, bound) {
			return true
		}
		replacement := substitute(parseExpression(e.code), bound)
		replacement.Decorations().Start = x.Decorations().Start
		replacement.Decorations().End = x.Decorations().End
		replacement.Decorations().Before = x.Decorations().Before
		replacement.Decorations().After = x.Decorations().After
		c.Replace(replacement)
		n++
		return false // what was bound is not searched again
	}, nil)
	return n
}

// field adds a field to a struct type, behind its last one.
type field struct{ typ, name, fieldType string }

func (e field) apply(scope dst.Node) int {
	n := 0
	dst.Inspect(scope, func(node dst.Node) bool {
		spec, ok := node.(*dst.TypeSpec)
		if !ok || spec.Name.Name != e.typ {
			return true
		}
		fields := spec.Type.(*dst.StructType).Fields
		fields.List = append(fields.List, &dst.Field{Names: []*dst.Ident{dst.NewIdent(e.name)}, Type: dst.NewIdent(e.fieldType)})
		n++
		return false
	})
	return n
}

// eachStatement calls change for every statement of a block below scope that is like the pattern, with or without a label.
func eachStatement(scope dst.Node, pattern string, change func(*dstutil.Cursor, bindings)) int {
	want := statements(pattern)[0]
	n := 0
	dstutil.Apply(scope, func(c *dstutil.Cursor) bool {
		s, ok := c.Node().(dst.Stmt)
		if !ok || c.Index() < 0 { // not an element of a list of statements
			return true
		}
		if labelled, ok := s.(*dst.LabeledStmt); ok {
			s = labelled.Stmt
		}
		bound := bindings{}
		if !match(want, s, bound) {
			return true
		}
		change(c, bound)
		n++
		return false
	}, nil)
	return n
}
