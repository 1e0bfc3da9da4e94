// SPDX-License-Identifier: MPL-2.0

package rerun

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestForeignArguments(t *testing.T) {
	isBool := func(name string) bool { return slices.Contains([]string{"test.v", "race", "unknown"}, name) }
	tests := []struct{ args, want string }{
		{"", ""},
		{"-test.v -test.run ^TestX$ -test.count=2", ""},
		{"-test.v=true -size=3 --test.short=true -race", "-size=3 -race"},
		{"-size 3 -test.run X", "-size 3"},
		{"--size 3 -race -test.v", "--size 3 -race"},
		{"-test.v input -test.v", "input -test.v"},
		{"-size 3 -- -test.v", "-size 3 -- -test.v"},
		{"-race - x", "-race - x"},
		{"-size", "-size"},
		{"-test.run", ""},
	}
	for _, tt := range tests {
		if got := foreign(strings.Fields(tt.args), isBool); strings.Join(got, " ") != tt.want {
			t.Errorf("%q: %q, want %q", tt.args, got, tt.want)
		}
	}
}

func TestArguments(t *testing.T) {
	c := Command{Run: "^TestX$/^a b$", Verbose: true, Timeout: time.Minute, Inputs: true, Flags: []string{"test.cpuprofile", "no.such"}}
	got := c.args([]string{"-test.paniconexit0", "-size=3"}, "/d")
	want := []string{"-test.run=^TestX$/^a b$", "-test.count=1", "-test.v=true", "-test.testlogfile=" + filepath.Join("/d", "inputs"), "-test.timeout=1m0s", "-size=3"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("GORACE", "halt_on_error=1")
	c := Command{Task: "x", Env: map[string]string{"A": "new", "GONE": ""}}
	got := c.environ([]string{"A=old", "B=b=c", "GONE=1", "TMPDIR=/tmp", "GORACE=halt_on_error=1"}, "/d")
	slices.Sort(got)
	want := []string{
		"A=new", "B=b=c", "FAULTLINE_RERUN=x", "FAULTLINE_RERUN_DIR=/d", "GORACE=atexit_sleep_ms=0 halt_on_error=1",
		"TEMP=" + tempDir("/d"), "TMP=" + tempDir("/d"), "TMPDIR=" + tempDir("/d"),
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestMarked(t *testing.T) {
	tests := []struct{ output, marked, unmarked string }{
		{"a" + mark + "b" + mark + "c", "b", "abc"},
		{"a" + mark + "b", "b", "ab"},
		{"a", "", "a"},
	}
	for _, tt := range tests {
		if Marked(tt.output) != tt.marked || Unmarked(tt.output) != tt.unmarked {
			t.Errorf("%q: %q and %q, want %q and %q", tt.output, Marked(tt.output), Unmarked(tt.output), tt.marked, tt.unmarked)
		}
	}
}
