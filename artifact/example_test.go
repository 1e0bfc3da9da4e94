// SPDX-License-Identifier: MPL-2.0

package artifact_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// crash is a run in which a server crashed.
func crash() *artifact.Run {
	at := kernel.Time(8 * time.Millisecond)
	return &artifact.Run{
		Report: artifact.Report{
			Status: artifact.Fail, Package: "example.com/kv", Test: "TestKV", Seed: 0x287372ab06f1482e,
			Failure: &artifact.Failure{Kind: "invariant", Check: "alive", Message: "n1 is down", AtNS: int64(at), Event: 2, Record: 3},
			Nodes:   []artifact.Node{{ID: 1, Name: "n1", Inc: 1, State: "down"}},
		},
		Records: []kernel.Record{
			{Seq: 1, At: at, Node: 1, Inc: 1, Kind: "fault.crash", Text: "n1", Attrs: []kernel.Attr{{Key: "id", Value: "1"}}},
			{Seq: 2, At: at, Node: 1, Inc: 1, Kind: kernel.KindCrash, Cause: 1},
			{Seq: 3, At: at, Kind: kernel.KindFail, Cause: 2, Text: "n1 is down"},
		},
	}
}

func ExampleWrite() {
	root, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	dir, err := artifact.Write(root, crash())
	if err != nil {
		fmt.Println(err)
		return
	}
	below, _ := filepath.Rel(root, dir)
	fmt.Println(filepath.ToSlash(below))
	run, err := artifact.Read(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Report.Failure.Signature, run.Report.Failure.At)
	fmt.Println(run.Report.Files)
	// Output:
	// example.com_kv/TestKV/287372ab06f1482e
	// invariant:alive 0.008000000s
	// [hb.mmd report.json report.txt timeline.html timeline.txt toolexec-gaps.txt trace.jsonl]
}

func ExampleTimeline() {
	if err := artifact.Timeline(os.Stdout, crash()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// # example.com/kv TestKV/seed=0x287372ab06f1482e: invariant "alive" violated at t=0.008000000s (event 2)
	// # mark (! failure, * led to it), seq, time, node#incarnation, kind, text, attributes, <- seq of the cause
	// * 1  0.008000000s  n1#1  fault.crash  n1 id=1
	// * 2  0.008000000s  n1#1  crash        <- 1
	// ! 3  0.008000000s        fail         n1 is down <- 2
}

func ExampleDiagram() {
	if err := artifact.Diagram(os.Stdout, crash()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// flowchart TD
	//   r1["0.008000000s n1#35;1 fault.crash n1"]
	//   r2["0.008000000s n1#35;1 crash"]
	//   r3["0.008000000s fail n1 is down"]
	//   r1 --> r2
	//   r2 --> r3
	//   classDef failure stroke-width:3px
	//   class r3 failure
}

func ExampleCausalSlice() {
	slice := artifact.CausalSlice(crash().Records, 3, 2)
	fmt.Println(slice.Seqs, slice.Cut)
	// Output:
	// [2 3] true
}

func ExampleMangle() {
	fmt.Println(artifact.Mangle("example.com/kv"))
	fmt.Println(artifact.Mangle("example.com_kv"))
	// Output:
	// example.com_kv
	// example.com_kv-51541fca
}

func ExampleRender() {
	_, err := artifact.Render(filepath.Join("testdata", "no-such-directory"))
	fmt.Println(filepath.ToSlash(err.Error()))
	// Output:
	// artifact: testdata/no-such-directory: not an artifact directory, it has no report.json
}
