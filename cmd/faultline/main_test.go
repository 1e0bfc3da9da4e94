// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/sim/kernel"
)

const wantUsage = `usage:
	faultline show DIR         print the report of a run, and the records that led to its failure
	faultline diff DIR [DIR]   print where two runs part and what differs; the second is the nearest passing one unless named
	faultline list [ROOT]      print which artifacts there are, by test and signature
	faultline pin DIR          print a regression test for the seed of a run, and copy its schedule into testdata
	faultline clean [ROOT]     remove artifact directories, and nothing else
	faultline render DIR       write report.txt, timeline.txt, timeline.html and hb.mmd of an artifact directory once more
	faultline version          print the version
DIR is an artifact directory, or the seed of one below the artifact root. faultline COMMAND -h lists flags.
`

func TestWrongArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "faultline: a command is missing\n"},
		{[]string{"explode"}, "faultline: unknown command \"explode\"\n"},
		{[]string{"-v"}, "faultline: unknown command \"-v\"\n"},
		{[]string{"render"}, "faultline: render takes 1 argument, not []\n"},
		{[]string{"render", "a", "b"}, "faultline: render takes 1 argument, not [\"a\" \"b\"]\n"},
		{[]string{"diff"}, "faultline: diff takes 1 to 2 arguments, not []\n"},
		{[]string{"list", "a", "b"}, "faultline: list takes 0 to 1 argument, not [\"a\" \"b\"]\n"},
		{[]string{"clean", "a", "-x"}, "faultline: clean: flag provided but not defined: -x\n"},
		{[]string{"clean", "-older", "soon"}, "faultline: clean: invalid value \"soon\" for flag -older: parse error\n"},
		{[]string{"version", "now"}, "faultline: version takes no argument, not [\"now\"]\n"},
	} {
		code, stdout, stderr := invoke(c.args...)
		if code != exitUsage || stdout != "" || stderr != c.want+wantUsage {
			t.Errorf("%q: exit %d, stdout %q, stderr\n%s", c.args, code, stdout, stderr)
		}
	}
}

func TestCountsBelowOne(t *testing.T) {
	for want, args := range map[string][]string{
		"-context is -1": {"diff", "a", "-context", "-1"},
		"-before is 0":   {"show", "a", "-before", "0"},
		"-causes is -5":  {"show", "-causes", "-5", "a"},
	} {
		want = "faultline: " + want + "; it accepts a whole number from 1\n"
		if code, stdout, stderr := invoke(args...); code != exitError || stdout != "" || stderr != want {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, arg := range []string{"help", "-h", "-help", "--help"} {
		if code, stdout, stderr := invoke(arg); code != exitOK || stdout != wantUsage || stderr != "" {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", arg, code, stdout, stderr)
		}
	}
}

func TestVersion(t *testing.T) {
	code, stdout, stderr := invoke("version")
	if code != exitOK || stderr != "" || !strings.HasPrefix(stdout, "faultline ") || !strings.HasSuffix(stdout, runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH+"\n") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestRender(t *testing.T) {
	dir, err := artifact.Write(t.TempDir(), &artifact.Run{
		Report: artifact.Report{
			Status: artifact.Fail, Test: "TestKV", Package: "example.com/kv",
			Failure: &artifact.Failure{Kind: "invariant", Record: 1},
		},
		Records: []kernel.Record{{Seq: 1, Kind: kernel.KindFail, Text: "it broke"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	timeline := filepath.Join(dir, artifact.TimelineFile)
	want, err := os.ReadFile(timeline)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(timeline); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := invoke("render", dir)
	if code != exitOK || stderr != "" || !strings.Contains(stdout, timeline+"\n") || strings.Count(stdout, "\n") != 4 {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if got, err := os.ReadFile(timeline); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the timeline is %q (%v), want %q", got, err, want)
	}
}

func TestOneErrorForADirectoryThatIsNoArtifact(t *testing.T) {
	dir := t.TempDir()
	other, up := filepath.Join(dir, "other"), filepath.Dir(dir)
	if err := os.WriteFile(filepath.Join(dir, artifact.ReportFile), []byte("{\n\"faultline_report\": x}"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:   "artifact: " + filepath.Join(dir, "report.json") + ": line 2: invalid character 'x'",
		other: other + ": there is no such directory, and it is no seed",
		up:    "artifact: " + up + ": not an artifact directory, it has no report.json",
	} {
		for _, command := range []string{"show", "diff", "pin", "render"} {
			code, stdout, stderr := invoke(command, path)
			if code != exitError || stdout != "" || !strings.HasPrefix(stderr, "faultline: "+want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("%s %s: exit %d, stdout %q, stderr %q", command, path, code, stdout, stderr)
			}
		}
	}
}

// brokenPipe is an output that nobody reads any more.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestBrokenOutput(t *testing.T) {
	var stderr bytes.Buffer
	if code := run([]string{"version"}, brokenPipe{}, &stderr); code != exitError || stderr.String() != "faultline: broken pipe\n" {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
}
