// SPDX-License-Identifier: MPL-2.0

package source

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
)

// edit is an insertion.
type edit struct {
	offset int
	at     token.Position // what the line directives of the file say about the place
	text   string
}

// apply inserts the edits into text. Behind each it says where the user's text goes on.
func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.offset, b.offset) })
	var out bytes.Buffer
	done := 0
	for i, e := range edits {
		out.Write(text[done:e.offset])
		out.WriteString(e.text)
		done = e.offset
		if last := i+1 == len(edits) || edits[i+1].offset > e.offset; last && needsColumn(text[done:], e.at) {
			fmt.Fprintf(&out, "/*line :%d:%d*/", e.at.Line, e.at.Column)
		}
	}
	out.Write(text[done:])
	return out.Bytes()
}

// needsColumn reports whether anything on the rest of the line has a column. Behind a directive without one, nothing has.
func needsColumn(rest []byte, at token.Position) bool {
	return at.Column > 0 && len(rest) > 0 && rest[0] != '\n' && rest[0] != '\r'
}

// origin is the edit that says which file the text is from. It stands at the package clause: before it there is only what the
// compiler wants at the beginning of a line. A directive of the file that is there first is right.
func origin(p *Pass, f *File) (e edit, ok bool) {
	offset, at := p.place(f.Syntax.Package)
	if at.Filename != f.Name {
		return edit{}, false
	}
	text := fmt.Sprintf("/*line %s:%d:%d*/", absolute(f.Name), at.Line, at.Column)
	return edit{offset: offset, text: text}, true
}

// place is where a token is, in the file's bytes and for its line directives.
func (p *Pass) place(pos token.Pos) (offset int, at token.Position) {
	return p.Fset.File(pos).Offset(pos), p.Fset.PositionFor(pos, true)
}

func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}
