// SPDX-License-Identifier: MPL-2.0

// Package ink owns the colours of texts on a terminal. It must not know what they
// mean.
package ink

// Ink colours texts, or leaves them as they are. A text must have no end of a line.
type Ink bool

// Attributes of ECMA-48.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[1;31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	blue   = "\x1b[36m"
	reset  = "\x1b[0m"
)

func (i Ink) in(attribute, text string) string {
	if !i || text == "" {
		return text
	}
	return attribute + text + reset
}

// Bold is for headings.
func (i Ink) Bold(text string) string { return i.in(bold, text) }

// Dim is for what matters less than its surroundings.
func (i Ink) Dim(text string) string { return i.in(dim, text) }

// Bad is for what failed.
func (i Ink) Bad(text string) string { return i.in(red, text) }

// Good is for what passed.
func (i Ink) Good(text string) string { return i.in(green, text) }

// Mark is for what stands out of a list.
func (i Ink) Mark(text string) string { return i.in(yellow, text) }

// Other is for the second of two sides.
func (i Ink) Other(text string) string { return i.in(blue, text) }
