// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"errors"
	"runtime/debug"
	"strings"
	"testing"
)

func TestRunPatternMatchesOneTest(t *testing.T) {
	tests := map[string]string{
		"TestKV":           `^TestKV$`,
		"TestKV/a_b/c":     `^TestKV$/^a_b$/^c$`,
		"TestKV/x(1)+#01":  `^TestKV$/^x\(1\)\+#01$`,
		"TestKV/size=1.5k": `^TestKV$/^size=1\.5k$`,
	}
	for name, want := range tests {
		if got := runPattern(name); got != want {
			t.Errorf("%s: pattern %s, want %s", name, got, want)
		}
	}
}

func TestShellQuote(t *testing.T) {
	tests := map[string]string{
		"a/b.c=d":  "a/b.c=d",
		"^TestKV$": "'^TestKV$'",
		"it's":     `'it'\''s'`,
		"":         "''",
		"a b":      "'a b'",
	}
	for word, want := range tests {
		if got := shellQuote(word); got != want {
			t.Errorf("%q: got %s, want %s", word, got, want)
		}
	}
}

func TestReplayCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("the command has -short then")
	}
	for _, name := range dependedOn {
		t.Setenv(name, "")
	}
	o := origin{pkg: "example.com/kv"}
	want := `FAULTLINE_SEED=0x1 go test -v -run '^TestKV$' example.com/kv`
	if got := o.replayCommand("TestKV", "FAULTLINE_SEED=0x1"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	t.Setenv("FAULTLINE_TOOLEXEC_STD", "net/http crypto/tls")
	t.Setenv(envSchedule, "/tmp/s.json")
	o.flags = []string{"-toolexec=faultline-toolexec", buildFlag(debug.BuildSetting{Key: "-race", Value: "true"}), buildFlag(debug.BuildSetting{Key: "-tags", Value: "a,b"})}
	want = `FAULTLINE_SEED=0x1 FAULTLINE_SCHEDULE=/tmp/s.json FAULTLINE_TOOLEXEC_STD='net/http crypto/tls' go test -v -toolexec=faultline-toolexec -race -tags=a,b -run '^TestKV$' example.com/kv`
	if got := o.replayCommand("TestKV", "FAULTLINE_SEED=0x1"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestReplayCommandHasTheArgumentsOfTheTest(t *testing.T) {
	o := origin{pkg: "example.com/kv", args: []string{"-size=3", "a b"}}
	want := ` example.com/kv -args -size=3 'a b'`
	if got := o.replayCommand("TestKV", "FAULTLINE_SEED=0x1"); !strings.HasSuffix(got, want) {
		t.Errorf("got  %s\nwant %s at the end", got, want)
	}
}

func TestOriginNamesThisPackage(t *testing.T) {
	if got := readOrigin().pkg; got != modulePath {
		t.Errorf("package under test is %q, want %q", got, modulePath)
	}
}

func TestToolexecFlagWorksWhenPasted(t *testing.T) {
	installed := func(string) (string, error) { return "/usr/bin/faultline-toolexec", nil }
	missing := func(string) (string, error) { return "", errors.New("not found") }
	tests := []struct {
		look func(string) (string, error)
		flag string
		want string
	}{
		{installed, "", "-toolexec=faultline-toolexec"},
		{installed, "-toolexec=/x/faultline-toolexec", "-toolexec=faultline-toolexec"},
		{missing, "", "-toolexec=faultline-toolexec"},
		{missing, "-toolexec=/x/faultline-toolexec", "-toolexec=/x/faultline-toolexec"},
		{missing, `-toolexec="/a b/faultline-toolexec"`, `'-toolexec="/a b/faultline-toolexec"'`},
	}
	for _, tt := range tests {
		got := toolexecFlag(tt.look, env(map[string]string{envFlag: tt.flag}))
		if got != tt.want {
			t.Errorf("variable %q: got %s, want %s", tt.flag, got, tt.want)
		}
	}
}
