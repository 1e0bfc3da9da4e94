// SPDX-License-Identifier: MPL-2.0

package source

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/hmdsefi/faultline/gaps"
)

const (
	directivePrefix = "//faultline:"
	acceptDirective = directivePrefix + "accept"
)

// directive is a comment that tells faultline something about a line.
type directive struct {
	file   *File
	pos    token.Pos
	line   int    // the line that it is about
	verb   string // with the prefix
	reason string
}

// findDirectives collects the directives of all files that rules may change.
func findDirectives(p *Pass) []directive {
	var list []directive
	for f := range p.Changeable() {
		var code map[int]bool
		for _, group := range f.Syntax.Comments {
			for _, c := range group.List {
				if !strings.HasPrefix(c.Text, directivePrefix) {
					continue
				}
				if code == nil {
					code = codeLines(p, f)
				}
				list = append(list, newDirective(p, f, c, code))
			}
		}
	}
	return list
}

// newDirective reads a comment. One behind code is about its own line, one that has a line to itself is about the next.
func newDirective(p *Pass, f *File, c *ast.Comment, code map[int]bool) directive {
	verb, reason, _ := strings.Cut(strings.TrimSpace(c.Text), " ")
	line := p.line(c.Pos())
	if !code[line] {
		line++
	}
	return directive{file: f, pos: c.Pos(), line: line, verb: verb, reason: strings.TrimSpace(reason)}
}

// codeLines are the lines on which anything but a comment begins or ends.
func codeLines(p *Pass, f *File) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		case *ast.File: // it ends with whatever is its last line
			return true
		}
		lines[p.line(n.Pos())] = true
		lines[p.line(n.End())] = true
		return true
	})
	return lines
}

func (p *Pass) line(pos token.Pos) int { return p.Fset.PositionFor(pos, true).Line }

// accept marks the gaps that directives accept. A directive that says nothing is a gap of its own, since whoever wrote it thinks
// that it says something.
func (p *Pass) accept(directives []directive) {
	for _, d := range directives {
		switch {
		case d.verb != acceptDirective:
			p.Gap(d.file, d.pos, d.verb, "faultline knows no such directive, so it does nothing", "write "+acceptDirective+" and a reason")
		case d.reason == "":
			p.Gap(d.file, d.pos, d.verb, "it accepts nothing, since it gives no reason", "write the reason behind it")
		default:
			p.acceptLine(p.file(p.Fset.PositionFor(d.pos, true).Filename), d.line, d.reason)
		}
	}
}

func (p *Pass) acceptLine(file string, line int, reason string) {
	for i := range p.gaps {
		if g := &p.gaps[i]; g.File == file && g.Line == line {
			g.Accepted = reason
		}
	}
}

// Misused reports whether a gap is a directive that does nothing.
func Misused(g gaps.Gap) bool { return strings.HasPrefix(g.Construct, directivePrefix) }
