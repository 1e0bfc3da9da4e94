// SPDX-License-Identifier: MPL-2.0

package source_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"testing"
)

// tokens lists the tokens of a file with the positions that its line directives give them.
func tokens(t *testing.T, name string, text []byte) []string {
	t.Helper()
	fset := token.NewFileSet()
	file := fset.AddFile(name, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, func(at token.Position, message string) { t.Errorf("%s: %s", at, message) }, 0)
	var list []string
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return list
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue // of the scanner, not of the file
		}
		at := fset.Position(pos)
		list = append(list, fmt.Sprintf("%d:%d %s %s", at.Line, at.Column, tok, literal))
	}
}
