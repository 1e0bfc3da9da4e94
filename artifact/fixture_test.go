// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/gaps"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/history"
	"github.com/hmdsefi/faultline/sim/kernel"
)

var update = flag.Bool("update", false, "write the golden files")

// sampleRun is a failing run of a server that acknowledged a put, crashed and
// came back without it.
func sampleRun() *Run {
	at := func(ms int) kernel.Time { return kernel.Time(time.Duration(ms) * time.Millisecond) }
	attr := func(pairs ...string) (list []kernel.Attr) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, kernel.Attr{Key: pairs[i], Value: pairs[i+1]})
		}
		return list
	}
	records := []kernel.Record{
		{Seq: 1, At: 0, Node: 1, Inc: 1, Kind: kernel.KindBoot, Text: "n1"},
		{Seq: 2, At: 0, Node: 2, Inc: 1, Kind: kernel.KindBoot, Text: "c1"},
		{Seq: 3, At: at(3), Node: 2, Inc: 1, Kind: kernel.KindTimer, Cause: 2},
		{Seq: 4, At: at(3), Node: 2, Inc: 1, Kind: "net.send", Cause: 3, Text: "put k1", Attrs: attr("to", "n1")},
		{Seq: 5, At: at(5), Node: 1, Inc: 1, Kind: "net.deliver", Cause: 4, Text: "put k1", Attrs: attr("from", "c1")},
		{Seq: 6, At: at(5), Node: 1, Inc: 1, Kind: "net.send", Cause: 5, Text: "ack k1", Attrs: attr("to", "c1")},
		{Seq: 7, At: at(7), Node: 2, Inc: 1, Kind: "net.deliver", Cause: 6, Text: "ack k1", Attrs: attr("from", "n1")},
		{Seq: 8, At: at(8), Node: 1, Inc: 1, Kind: "fault.crash", Text: "n1", Attrs: attr("id", "1")},
		{Seq: 9, At: at(8), Node: 1, Inc: 1, Kind: kernel.KindCrash, Cause: 8},
		{Seq: 10, At: at(8), Node: 1, Inc: 1, Kind: "disk.lost", Cause: 9, Text: "/wal: 12 bytes\nof 40", Attrs: attr("path", "/wal", "tab", "a\tb")},
		{Seq: 11, At: at(9), Node: 2, Inc: 1, Kind: kernel.KindLog, Text: "unrelated <b>\"quoted\"</b> #1; `x` \u202e"},
		{Seq: 12, At: at(20), Node: 1, Inc: 1, Kind: "fault.restart", Cause: 8, Text: "n1", Attrs: attr("id", "2", "undoes", "1")},
		{Seq: 13, At: at(20), Node: 1, Inc: 2, Kind: kernel.KindRestart, Cause: 12, Text: "n1"},
		{Seq: 14, At: at(20), Kind: kernel.KindFail, Cause: 13, Text: "k1 was acknowledged, but n1 holds \"\""},
	}
	return &Run{
		Report: Report{
			Status:     Fail,
			Package:    "example.com/kv",
			Test:       "TestKV",
			Subtest:    "seed=0x287372ab06f1482e",
			Seed:       0x287372ab06f1482e,
			SeedSource: "test name",
			SeedIndex:  3,
			BaseSeed:   0x75c66bf05fc438d4,
			Mode:       "event",
			Failure: &Failure{
				Kind: "invariant", Check: "acked puts survive",
				Message: "k1 was acknowledged, but n1 holds \"\"",
				AtNS:    int64(at(20)), Event: 9, Record: 14,
			},
			Warnings:         []string{"options differ from those of the earlier artifact"},
			Replay:           "FAULTLINE_SEED=0x287372ab06f1482e go test -v -run '^TestKV$' example.com/kv",
			Confirmation:     &Confirmation{Replay: NotVerified, Detail: "the message is no,\nand yes in the fresh process"},
			DeterminismLevel: Exact,
			Versions:         Versions{Faultline: "v0.2.0", Go: "go1.26.8", OS: "linux", Arch: "amd64", BinaryHash: "00ff"},
			Options:          json.RawMessage(`{"Seeds":50}`),
			OptionsHash:      7,
			Run: Stats{
				TraceHash: Hex64(kernel.HashRecords(records)), Events: 9, Records: 14, EndNS: int64(at(20)),
				Stop: "failure", Planners: []string{"random"}, Attempts: 2,
			},
			Nodes: []Node{
				{ID: 1, Name: "n1", Tags: []string{kernel.TagServer}, Inc: 2, State: "up"},
				{ID: 2, Name: "c1", Tags: []string{kernel.TagClient}, Inc: 1, State: "up"},
			},
		},
		Records: records,
		Schedule: &fault.Schedule{
			End: 10 * time.Second, Recovery: 7500 * time.Millisecond,
			Events: []fault.Event{
				{ID: 1, At: at(8).Sub(0), Kind: fault.KindCrash, Node: "n1"},
				{ID: 2, At: at(20).Sub(0), Kind: fault.KindRestart, Node: "n1", Undoes: 1},
			},
		},
		History: []history.Op{
			{ID: 1, Process: "c1", F: "put", Status: history.OK, Call: at(3), Return: at(7), CallIndex: 1, ReturnIndex: 2, Input: json.RawMessage(`{"k":"k1"}`)},
		},
		Gaps: []gaps.Gap{
			{File: "kv/store.go", Line: 12, Construct: "sync.Map.Range", Reason: "order differs"},
			{File: "kv/store.go", Line: 20, Construct: "fmt %p", Reason: "prints an address", Accepted: "only logs"},
		},
		Extra: map[string][]byte{"cycle.dot": []byte("digraph {}")},
	}
}

// golden compares got with a file of testdata, or writes the file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
	}
}

// mustWrite writes run below a fresh root and returns its directory.
func mustWrite(t testing.TB, root string, run *Run) string {
	t.Helper()
	dir, err := Write(root, run)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// readAll returns all files of dir by name.
func readAll(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}
