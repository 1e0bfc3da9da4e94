// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"io"
	"testing"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// trafficRun has n records of messages between two nodes.
func trafficRun(n int) *Run {
	run := sampleRun()
	run.Records = run.Records[:2]
	for i := len(run.Records); i < n; i++ {
		run.Records = append(run.Records, kernel.Record{
			Seq: uint64(i + 1), At: kernel.Time(i) * 1_000_000, Node: kernel.NodeID(i%2 + 1), Inc: 1,
			Kind: "net.deliver", Cause: uint64(i), Text: "tcp 10.0.0.3:38009>10.0.0.1:8080 ACK 113B",
			Attrs: []kernel.Attr{{Key: "from", Value: "c1"}},
		})
	}
	run.Report.Failure.Record = uint64(n)
	return run
}

func BenchmarkWrite50k(b *testing.B) {
	run := trafficRun(50_000)
	root := b.TempDir()
	for b.Loop() {
		mustWrite(b, root, run)
	}
}

func BenchmarkRead50k(b *testing.B) {
	dir := mustWrite(b, b.TempDir(), trafficRun(50_000))
	for b.Loop() {
		if _, err := Read(dir); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTimeline50k(b *testing.B) {
	run := trafficRun(50_000)
	for b.Loop() {
		if err := Timeline(io.Discard, run); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCausalSlice50k(b *testing.B) {
	run := trafficRun(50_000)
	for b.Loop() {
		CausalSlice(run.Records, 50_000, timelineSlice)
	}
}

func BenchmarkPage50k(b *testing.B) {
	run := trafficRun(50_000)
	for b.Loop() {
		if err := Page(io.Discard, run); err != nil {
			b.Fatal(err)
		}
	}
}
