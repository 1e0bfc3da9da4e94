// SPDX-License-Identifier: MPL-2.0

package main

import (
	"slices"
	"strings"
	"testing"
)

func TestSplitDirectory(t *testing.T) {
	tests := []struct{ args, directory, rest, value string }{
		{"", "", "", "."},
		{"./... -v", "", "./... -v", "."},
		{"-C sub ./...", "-C sub", "./...", "sub"},
		{"--C=sub -v", "--C=sub", "-v", "sub"},
		{"-v -C sub", "", "-v -C sub", "."}, // the go command says what is wrong with it
	}
	for _, test := range tests {
		directory, rest := splitDirectory(strings.Fields(test.args))
		if !slices.Equal(directory, strings.Fields(test.directory)) || !slices.Equal(rest, strings.Fields(test.rest)) {
			t.Errorf("%q split into %q and %q", test.args, directory, rest)
		}
		if value := directoryOf(directory); value != test.value {
			t.Errorf("%q has directory %q, want %q", test.args, value, test.value)
		}
	}
}

func TestSetsToolexec(t *testing.T) {
	for args, want := range map[string]bool{
		"./... -v":                   false,
		"-toolexec=x .":              true,
		"--toolexec x .":             true,
		". -args -toolexec=x":        false,
		". --args -toolexec=x":       false,
		"-run=-toolexec . -toolexec": true,
	} {
		if got := setsToolexec(strings.Fields(args)); got != want {
			t.Errorf("%q: %v", args, got)
		}
	}
}
