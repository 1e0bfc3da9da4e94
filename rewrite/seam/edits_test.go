// SPDX-License-Identifier: MPL-2.0

package seam

import (
	"strings"
	"testing"
)

func TestEdits(t *testing.T) {
	tests := map[string]struct {
		function string
		edit     edit
		in, out  string
		count    int
	}{
		"at start":   {"f", atStart{"g()"}, "func f() {\n\th()\n}", "func f() {\n\tg()\n\th()\n}", 1},
		"at end":     {"f", atEnd{"g()"}, "func f() {\n\th()\n}", "func f() {\n\th()\n\tg()\n}", 1},
		"before":     {"f", before{"h()", "g(1)\ng(2)"}, "func f() {\n\th()\n}", "func f() {\n\tg(1)\n\tg(2)\n\th()\n}", 1},
		"after":      {"f", after{"h()", "g(1)\ng(2)"}, "func f() {\n\th()\n\ti()\n}", "func f() {\n\th()\n\tg(1)\n\tg(2)\n\ti()\n}", 1},
		"instead":    {"f", instead{"h()", "g()"}, "func f() {\n\t// why\n\th()\n}", "func f() {\n\t// why\n\tg()\n}", 1},
		"nested":     {"f", before{"h()", "g()"}, "func f() {\n\tif x {\n\t\th()\n\t}\n}", "func f() {\n\tif x {\n\t\tg()\n\t\th()\n\t}\n}", 1},
		"any block":  {"f", before{"if x {\n_etc\n}", "g()"}, "func f() {\n\tif x {\n\t\th()\n\t}\n}", "func f() {\n\tg()\n\tif x {\n\t\th()\n\t}\n}", 1},
		"expression": {"", expression{"a.b(_1, c)", "d(a, _1)"}, "func f() {\n\tx := a.b(y+1, c) // why\n}", "func f() {\n\tx := d(a, y+1) // why\n}", 1},
		"method":     {"(*T).f", atStart{"g()"}, "func (t *T[K]) f() {\n}", "func (t *T[K]) f() {\n\tg()\n}", 1},
		"none":       {"f", before{"h(1)", "g()"}, "func f() {\n\th(2)\n}", "func f() {\n\th(2)\n}", 0},
		"other func": {"f", atStart{"g()"}, "func e() {\n}", "func e() {\n}", 0},
		"field":      {"", field{"T", "b", "int"}, "type T struct {\n\ta int\n}", "type T struct {\n\ta int\n\tb int\n}", 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file, err := parseFile("p.go", []byte("package p\n\n"+test.in+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			if got := (rule{function: test.function, edit: test.edit}).apply(file); got != test.count {
				t.Errorf("applied %d times, want %d", got, test.count)
			}
			text, err := printFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimPrefix(string(text), "package p\n\n"); got != test.out+"\n" {
				t.Errorf("got\n%s\nwant\n%s", got, test.out)
			}
		})
	}
}
