// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"strconv"
	"strings"
)

// verb is a verb of a format and the number, from 0, of the value that it prints.
type verb struct {
	index int
	verb  rune
}

// verbs reads a format as package fmt does: a star takes a value, and [n] says which one is next.
func verbs(format string) (list []verb) {
	next := 0
	for {
		_, rest, ok := strings.Cut(format, "%")
		if !ok {
			return list
		}
		format = rest
	flags:
		for i, r := range format {
			switch {
			case strings.ContainsRune("+-# 0123456789.", r):
			case r == '*':
				next++
			case r == '[':
				number, _, _ := strings.Cut(format[i+1:], "]")
				if n, err := strconv.Atoi(number); err == nil && n > 0 {
					next = n - 1
				}
			case r == ']':
			default:
				if r != '%' {
					list = append(list, verb{next, r})
					next++
				}
				format = format[i+len(string(r)):]
				break flags
			}
		}
	}
}
