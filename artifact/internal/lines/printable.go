// SPDX-License-Identifier: MPL-2.0

package lines

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Printable keeps text on its line and its control characters off the terminal:
// they appear as Go escapes. Everything else, backslashes too, stays.
func Printable(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, isControl) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case isControl(r):
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		default:
			b.WriteRune(r)
		}
		text = text[size:]
	}
	return b.String()
}

func isControl(r rune) bool { return !strconv.IsPrint(r) }

// PrintableLines is Printable for a text whose lines and tabs are meant.
func PrintableLines(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		for j := range cells {
			cells[j] = Printable(cells[j])
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return strings.Join(lines, "\n")
}
