// SPDX-License-Identifier: MPL-2.0

package show_test

import (
	"os"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/artifact/show"
	"github.com/hmdsefi/faultline/sim/kernel"
)

func failing(records ...kernel.Record) *artifact.Run {
	for i := range records {
		records[i].Seq = uint64(i + 1)
	}
	return &artifact.Run{
		Report: artifact.Report{
			Status: artifact.Fail, Test: "TestX", SeedSource: "test name", Nodes: []artifact.Node{{ID: 1, Name: "n1", Inc: 1, State: "up"}},
			Failure: &artifact.Failure{Kind: "invariant", Check: "kept", Message: "lost", Record: uint64(len(records))},
		},
		Records: records,
	}
}

// What crashes cost is shown however long the chain of messages behind it is.
func TestTurningPointsAreShownBeyondALongChain(t *testing.T) {
	records := []kernel.Record{
		{Node: 1, Inc: 1, Kind: "fault.crash"},
		{Node: 1, Inc: 1, Kind: kernel.KindCrash, Cause: 1},
		{Node: 1, Inc: 1, Kind: "disk.crash", Cause: 2, Text: "crash lost /wal"},
		{Node: 1, Inc: 2, Kind: kernel.KindRestart, Cause: 1},
	}
	for range 500 {
		records = append(records, kernel.Record{Node: 1, Inc: 2, Kind: "net.send", Cause: uint64(len(records))})
	}
	records = append(records, kernel.Record{Kind: kernel.KindFail, Cause: uint64(len(records))}, kernel.Record{Kind: "log", Text: "after"})
	run := failing(records...)
	run.Report.Failure.Record--
	var text strings.Builder
	if err := show.Write(&text, run, show.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"*   3  ", "crash lost /wal", "! 505  ", "  ... 476 more, of which 476 led to the failure\n", "  ... 1 more\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	if n := strings.Count(text.String(), "\n"); n > 60 {
		t.Errorf("%d lines", n)
	}
}

// A final check comes of no record: what happened to the nodes is shown, and the last records.
func TestTurningPointsBehindAFinalCheck(t *testing.T) {
	records := []kernel.Record{{Node: 1, Inc: 1, Kind: "fault.crash"}, {Node: 1, Inc: 1, Kind: "disk.crash", Cause: 1, Text: "crash lost /wal"}}
	for range 500 {
		records = append(records, kernel.Record{Node: 1, Inc: 2, Kind: "net.send"})
	}
	run := failing(append(records, kernel.Record{Kind: kernel.KindFail}, kernel.Record{Kind: "fault.crash", Text: "after"})...)
	run.Report.Failure.Record--
	var text strings.Builder
	if err := show.Write(&text, run, show.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"what changed nodes, network and disks", "\n    1  ", "crash lost /wal", "\n  502  ", "\n! 503  "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	if strings.Contains(text.String(), "after") || strings.Contains(text.String(), "* ") {
		t.Errorf("in\n%s", &text)
	}
}

func TestColourChangesNothingElse(t *testing.T) {
	run := failing(kernel.Record{Node: 1, Inc: 1, Kind: "boot\x1b[2J"}, kernel.Record{Kind: "log"}, kernel.Record{Kind: kernel.KindFail, Cause: 1})
	var plain, coloured strings.Builder
	if err := show.Write(&plain, run, show.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := show.Write(&coloured, run, show.Options{Color: true}); err != nil {
		t.Fatal(err)
	}
	bare := strings.NewReplacer("\x1b[0m", "", "\x1b[1m", "", "\x1b[1;31m", "", "\x1b[33m", "").Replace(coloured.String())
	if bare != plain.String() || bare == coloured.String() || strings.Contains(bare, "\x1b") {
		t.Errorf("coloured:\n%s\nplain:\n%s", &coloured, &plain)
	}
}

func ExampleWrite() {
	run := failing(
		kernel.Record{Node: 1, Inc: 1, Kind: kernel.KindBoot},
		kernel.Record{At: 5, Node: 1, Inc: 1, Kind: "fault.crash"},
		kernel.Record{At: 7, Kind: kernel.KindFail, Cause: 2, Text: "lost"},
	)
	show.Write(os.Stdout, run, show.Options{})
	// Output:
	// FAIL: TestX/seed=0x0000000000000000
	// faultline: invariant "kept" violated at t=0.000000000s (event 0)
	//   lost
	// seed:        0x0000000000000000, from test name
	// run:         0 events, 0 records, ended at t= (), trace hash 0x0000000000000000
	// nodes:       n1#1 up
	// versions:    faultline , , /
	//
	// what led to the failure (*, ! is the failure) and the last records before it: seq, time, node#incarnation, kind, text, <- cause
	// * 1  0.000000000s  n1#1  boot
	// * 2  0.000000005s  n1#1  fault.crash
	// ! 3  0.000000007s        fail         lost <- 2
}
