// SPDX-License-Identifier: MPL-2.0

package seam

import "github.com/dave/dst"

// A rule changes one file of the standard library. It names what it changes by function and statement, not by line, so that it
// survives reformatting, and it must apply exactly count times, so that a release it does not fit is noticed.
type rule struct {
	name     string // what it does, for people
	file     string // path below GOROOT/src
	function string // "park_m", "(*Mutex).Lock"; empty for the whole file
	count    int
	edit     edit
	release  string // the only release that it is for, as in Known; empty for all
}

// only limits rules to one release.
func only(release string, rules ...rule) []rule {
	for i := range rules {
		rules[i].release = release
	}
	return rules
}

// rulesFor gives the rules for a release of Known.
func rulesFor(release string) []rule {
	var fit []rule
	for _, rule := range rules {
		if rule.release == "" || rule.release == release {
			fit = append(fit, rule)
		}
	}
	return fit
}

// An edit changes the tree below scope and returns how often it applied.
type edit interface {
	apply(scope dst.Node) int
}

func (r rule) apply(file *dst.File) int {
	if r.function == "" {
		return r.edit.apply(file)
	}
	n := 0
	for _, decl := range file.Decls {
		if f, ok := decl.(*dst.FuncDecl); ok && functionName(f) == r.function {
			n += r.edit.apply(f)
		}
	}
	return n
}

// functionName gives "f", "T.m" or "(*T).m", without type parameters.
func functionName(f *dst.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	typ := f.Recv.List[0].Type
	star, pointer := typ.(*dst.StarExpr)
	if pointer {
		typ = star.X
	}
	switch generic := typ.(type) {
	case *dst.IndexExpr:
		typ = generic.X
	case *dst.IndexListExpr:
		typ = generic.X
	}
	name := typ.(*dst.Ident).Name
	if pointer {
		name = "(*" + name + ")"
	}
	return name + "." + f.Name.Name
}
