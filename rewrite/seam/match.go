// SPDX-License-Identifier: MPL-2.0

package seam

import (
	"reflect"

	"github.com/dave/dst"
	"github.com/dave/dst/dstutil"
)

// bindings holds what the placeholders of a pattern stand for.
type bindings map[string]dst.Expr

// match reports whether node has the structure of the pattern, whatever its comments and layout.
func match(pattern, node dst.Node, bound bindings) bool {
	return matchValue(reflect.ValueOf(pattern), reflect.ValueOf(node), bound)
}

func matchValue(pattern, node reflect.Value, bound bindings) bool {
	if pattern.Kind() == reflect.Interface {
		pattern, node = pattern.Elem(), node.Elem()
	}
	if !pattern.IsValid() || !node.IsValid() {
		return pattern.IsValid() == node.IsValid()
	}
	if name := placeholder(pattern); name != "" {
		x, ok := node.Interface().(dst.Expr)
		bound[name] = x
		return ok
	}
	if pattern.Type() != node.Type() {
		return false
	}
	switch pattern.Kind() {
	case reflect.Pointer:
		if pattern.IsNil() || node.IsNil() {
			return pattern.IsNil() == node.IsNil()
		}
		if block, ok := pattern.Interface().(*dst.BlockStmt); ok && standsForAnyBlock(block) {
			return true
		}
		return matchValue(pattern.Elem(), node.Elem(), bound)
	case reflect.Struct:
		return matchFields(pattern, node, bound)
	case reflect.Slice:
		if pattern.Len() != node.Len() {
			return false
		}
		for i := range pattern.Len() {
			if !matchValue(pattern.Index(i), node.Index(i), bound) {
				return false
			}
		}
		return true
	}
	return pattern.Interface() == node.Interface()
}

// matchFields compares the fields that carry meaning: not comments, layout and resolved objects.
func matchFields(pattern, node reflect.Value, bound bindings) bool {
	for i := range pattern.NumField() {
		switch pattern.Type().Field(i).Name {
		case "Decs", "Obj":
			continue
		}
		if !matchValue(pattern.Field(i), node.Field(i), bound) {
			return false
		}
	}
	return true
}

// placeholder gives the name of an identifier that stands for any expression, or "".
func placeholder(v reflect.Value) string {
	ident, ok := v.Interface().(*dst.Ident)
	if !ok || ident == nil || len(ident.Name) != 2 || ident.Name[0] != '_' || ident.Name[1] < '0' || ident.Name[1] > '9' {
		return ""
	}
	return ident.Name
}

func standsForAnyBlock(block *dst.BlockStmt) bool {
	if len(block.List) != 1 {
		return false
	}
	s, ok := block.List[0].(*dst.ExprStmt)
	if !ok {
		return false
	}
	ident, ok := s.X.(*dst.Ident)
	return ok && ident.Name == "_etc"
}

// substitute replaces the placeholders in x by copies of what they stand for.
func substitute[N dst.Node](x N, bound bindings) N {
	return dstutil.Apply(x, func(c *dstutil.Cursor) bool {
		if ident, ok := c.Node().(*dst.Ident); ok {
			if value, ok := bound[ident.Name]; ok {
				c.Replace(dst.Clone(value))
				return false
			}
		}
		return true
	}, nil).(N)
}
