// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	seam "github.com/hmdsefi/faultline/runtime"
	"github.com/hmdsefi/faultline/sched/decisions"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/kernel"
)

var update = flag.Bool("update", false, "write the golden files")

var megabytes = regexp.MustCompile(`\d+\.\d MB`)

// golden compares text with a file of testdata; ROOT stands for a directory that is
// another one each time.
func golden(t *testing.T, name, root, text string) {
	t.Helper()
	text = strings.ReplaceAll(text, root, "ROOT")
	text = megabytes.ReplaceAllString(text, "N MB") // most of them are the page's
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, text, want)
	}
}

// must is invoke for a call that has to work.
func must(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := invoke(args...)
	if code != exitOK {
		t.Fatalf("%q: exit %d, %s%s", args, code, stdout, stderr)
	}
	return stdout
}

// runOf returns a run of a server that answers a put; it forgets it in a crash if it is
// to fail, and a message of it is slow otherwise.
func runOf(seed uint64, fails bool) *artifact.Run {
	at := func(ms int) kernel.Time { return kernel.Time(ms) * kernel.Time(time.Millisecond) }
	r := &artifact.Run{
		Report: artifact.Report{
			Status: artifact.Pass, Package: "example.com/kv", Test: "TestKV", Seed: artifact.Hex64(seed), SeedSource: "test name", Mode: "event",
			Replay:           fmt.Sprintf("FAULTLINE_SEED=0x%016x go test -v -run '^TestKV$' example.com/kv", seed),
			DeterminismLevel: artifact.Exact,
			Versions:         artifact.Versions{Faultline: "v0.2.0", Go: "go1.26.8", OS: "linux", Arch: "amd64"},
			Nodes:            []artifact.Node{{ID: 1, Name: "n1", Inc: 1, State: "up"}, {ID: 2, Name: "c1", Inc: 1, State: "up"}},
			Run:              artifact.Stats{Events: 6, EndNS: int64(at(20)), Stop: "end"},
		},
		Records: []kernel.Record{
			{Seq: 1, Node: 1, Inc: 1, Kind: kernel.KindBoot, Text: "n1"},
			{Seq: 2, Node: 2, Inc: 1, Kind: kernel.KindBoot, Text: "c1"},
			{Seq: 3, At: at(3), Node: 2, Inc: 1, Kind: "net.send", Cause: 2, Text: "put k1", Attrs: []kernel.Attr{{Key: "to", Value: "n1"}}},
			{Seq: 4, At: at(5), Node: 1, Inc: 1, Kind: "net.deliver", Cause: 3, Text: "put k1"},
			{Seq: 5, At: at(5), Node: 1, Inc: 1, Kind: "net.send", Cause: 4, Text: "ack k1"},
		},
		Schedule: &fault.Schedule{End: 20 * time.Millisecond},
		Decisions: &decisions.Log{Seed: seed, Strategy: "random", Decisions: []decisions.Decision{
			{Kind: seam.HandOver, Goroutine: 2, Waiting: 2, Place: "main.main /src/main.go:7"}, {Kind: seam.MayYield, Goroutine: 2},
		}},
	}
	if !fails {
		r.Records = append(r.Records, kernel.Record{Seq: 6, At: at(9), Node: 2, Inc: 1, Kind: "net.deliver", Cause: 5, Text: "ack k1"})
		r.Decisions.Decisions = append(r.Decisions.Decisions, decisions.Decision{Kind: seam.MayYield, Goroutine: 2})
		return r
	}
	const message = "k1 was acknowledged, but n1 holds \"\""
	r.Report.Status = artifact.Fail
	r.Report.Failure = &artifact.Failure{Kind: "invariant", Check: "acked puts survive", Message: message, AtNS: int64(at(20)), Event: 6, Record: 11}
	r.Report.Run.Stop = "failure"
	r.Schedule.Events = []fault.Event{
		{ID: 1, At: at(8).Sub(0), Kind: fault.KindCrash, Node: "n1"},
		{ID: 2, At: at(20).Sub(0), Kind: fault.KindRestart, Node: "n1", Undoes: 1},
	}
	r.Records = append(r.Records,
		kernel.Record{Seq: 6, At: at(7), Node: 2, Inc: 1, Kind: "net.deliver", Cause: 5, Text: "ack k1"},
		kernel.Record{Seq: 7, At: at(8), Node: 1, Inc: 1, Kind: "fault.crash", Text: "n1"},
		kernel.Record{Seq: 8, At: at(8), Node: 1, Inc: 1, Kind: kernel.KindCrash, Cause: 7},
		kernel.Record{Seq: 9, At: at(8), Node: 1, Inc: 1, Kind: "disk.crash", Cause: 8, Text: "crash lost 12 bytes of /wal\x1b[2J"},
		kernel.Record{Seq: 10, At: at(20), Node: 1, Inc: 2, Kind: kernel.KindRestart, Cause: 7, Text: "n1"},
		kernel.Record{Seq: 11, At: at(20), Kind: kernel.KindFail, Cause: 10, Text: message},
	)
	r.Decisions.Decisions = append(r.Decisions.Decisions, decisions.Decision{Kind: seam.MayYield, Goroutine: 3, Waiting: 1, Place: "main.work /src/main.go:9"})
	return r
}

// written is a root with artifacts of two failing seeds and two passing ones, all of one
// moment. Commands find it as the root of tests.
func written(t *testing.T) (root, failing string) {
	t.Helper()
	t.Setenv("NO_COLOR", "")
	root = t.TempDir()
	t.Setenv(artifact.RootVariable, root)
	moment := time.Date(2026, 11, 30, 1, 2, 3, 0, time.Local)
	for seed := range uint64(4) {
		dir, err := artifact.Write(root, runOf(seed+0xa1, seed < 2))
		if err != nil {
			t.Fatal(err)
		}
		moment = moment.Add(-time.Hour)
		if err := os.Chtimes(filepath.Join(dir, artifact.ReportFile), moment, moment); err != nil {
			t.Fatal(err)
		}
		if seed == 0 {
			failing = dir
		}
	}
	return root, failing
}

// tree lists all files below dir with their content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			files[path] = d.Type().String()
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// invoke runs the command and returns its exit code and what it printed.
func invoke(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(args, &out, &err)
	return code, out.String(), err.String()
}
