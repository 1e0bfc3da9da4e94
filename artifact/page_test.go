// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hmdsefi/faultline/artifact/internal/lines"
	"github.com/hmdsefi/faultline/artifact/page"
	seam "github.com/hmdsefi/faultline/runtime"
	"github.com/hmdsefi/faultline/sched/decisions"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// pageOf returns the page of run and the data in it.
func pageOf(t *testing.T, run *Run) (text string, data page.Data) {
	t.Helper()
	var b bytes.Buffer
	if err := Page(&b, run); err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(b.String(), `<script type="application/json" id="data">`)
	inner, _, ended := strings.Cut(rest, "</script>")
	if !ok || !ended {
		t.Fatal("the page has no data")
	}
	if err := json.Unmarshal([]byte(inner), &data); err != nil {
		t.Fatal(err)
	}
	return b.String(), data
}

// checkPage checks that a page has all records of run, as they are.
func checkPage(t *testing.T, run *Run) {
	t.Helper()
	text, data := pageOf(t, run)
	if !utf8.ValidString(text) {
		t.Error("invalid UTF-8 in the page")
	}
	if n := strings.Count(text, "</script>"); n != 2 {
		t.Errorf("%d script elements end, want 2", n)
	}
	c := data.Records
	if len(c.Seq) != len(run.Records) {
		t.Fatalf("%d records, want %d", len(c.Seq), len(run.Records))
	}
	var seq uint64
	var at kernel.Time
	for i := range run.Records {
		r := &run.Records[i]
		seq, at = seq+uint64(c.Seq[i]), at+kernel.Time(c.At[i])
		cause := uint64(0)
		if c.Cause[i] > 0 {
			cause = run.Records[i-c.Cause[i]].Seq
		}
		if c.Cause[i] < 0 {
			cause = r.Cause
			if _, kept := find(run.Records, cause); kept {
				t.Errorf("record %d: its cause %d is there", r.Seq, cause)
			}
		}
		got := []any{seq, at, c.Node[i], c.Inc[i], data.Strings[c.Kind[i]], cause, data.Strings[c.Text[i]]}
		want := []any{r.Seq, r.At, int(r.Node), r.Inc, lines.Printable(string(r.Kind)), r.Cause, lines.Printable(r.Text)}
		for _, k := range c.Attrs[i] {
			got = append(got, data.Strings[k])
		}
		for _, a := range r.Attrs {
			want = append(want, lines.Printable(a.Key), lines.Printable(a.Value))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("record %v, want %v", got, want)
		}
		if int(r.Node) > len(data.Nodes) {
			t.Errorf("record %d is of node %d, and there are %d", r.Seq, r.Node, len(data.Nodes))
		}
	}
}

func TestPageHead(t *testing.T) {
	run := sampleRun()
	_, data := pageOf(t, run)
	h := data.Head
	if h.Failure != 13 || h.FailedAt != run.Report.Failure.AtNS || h.Status != "fail" || h.Headline != headline(&run.Report) || h.Recovery != int64(run.Schedule.Recovery) {
		t.Errorf("head %+v", h)
	}
	if want := (page.Fact{Name: "replay", Text: run.Report.Replay}); !slices.Contains(h.Facts, want) {
		t.Errorf("facts %v, want among them %v", h.Facts, want)
	}
	if want := (page.Operation{ID: 1, Process: "c1", F: "put", Status: "ok", Call: 3e6, Return: 7e6, Input: `{"k":"k1"}`}); !slices.Equal(data.Operations, []page.Operation{want}) {
		t.Errorf("operations %+v, want %+v", data.Operations, want)
	}
	run.Report.Status, run.Report.Failure = Pass, nil
	if _, data := pageOf(t, run); data.Head.Failure != -1 || data.Head.FailedAt != -1 {
		t.Errorf("head of a passing run %+v", data.Head)
	}
}

func TestPageOfATraceWithHoles(t *testing.T) {
	run := sampleRun()
	run.Records = slices.Delete(run.Records, 4, 6)
	checkPage(t, run)
	run.Records = run.Records[5:]
	checkPage(t, run)
}

func TestPageTurns(t *testing.T) {
	run := sampleRun()
	moved := func(kind seam.Kind, goroutine uint64, waiting uint32, place string) decisions.Decision {
		return decisions.Decision{Kind: kind, Goroutine: goroutine, Waiting: waiting, Place: place}
	}
	stays := func(goroutine uint64) decisions.Decision {
		return decisions.Decision{Kind: seam.MayYield, Goroutine: goroutine}
	}
	const worker = "main.worker /home/u/main.go:17"
	last := moved(seam.HandOver, 5, 1, worker)
	run.Decisions = &decisions.Log{Decisions: []decisions.Decision{
		{Kind: seam.TimePasses, Answer: 16384},
		moved(seam.HandOver, 5, 3, worker), stays(5), stays(5), stays(5),
		moved(seam.Yields, 4, 2, "sync.(*Mutex).Lock /go/src/sync/mutex.go:46"),
		last,
	}}
	_, data := pageOf(t, run)
	got := data.Turns
	if got == nil || !slices.Equal(got.Goroutine, []uint64{5, 4, 5}) || !slices.Equal(got.Waiting, []int{3, 2, 1}) || !slices.Equal(got.Stays, []int{3, 0, 0}) || got.First != 1 {
		t.Fatalf("turns %+v", got)
	}
	if place := data.Strings[got.Place[1]]; place != "sync.(*Mutex).Lock /go/src/sync/mutex.go:46" || got.Place[0] != got.Place[2] {
		t.Errorf("places %q, %v", place, got.Place)
	}
	run.Decisions.Decisions = append(run.Decisions.Decisions, slices.Repeat([]decisions.Decision{last}, maxTurns)...)
	if _, data := pageOf(t, run); data.Turns.Omitted != 3 || data.Turns.First != 7 || len(data.Turns.Goroutine) != maxTurns {
		t.Errorf("%d turns, %d left out", len(data.Turns.Goroutine), data.Turns.Omitted)
	}
	run.Decisions = nil
	if _, data := pageOf(t, run); data.Turns != nil {
		t.Errorf("turns %+v of a run without decisions", data.Turns)
	}
}

func TestPageSize(t *testing.T) {
	for _, n := range []int{1_000, 50_000} {
		text, _ := pageOf(t, trafficRun(n))
		t.Logf("%d bytes for %d records", len(text), n)
		if len(text) > 200_000+100*n {
			t.Errorf("%d bytes for %d records", len(text), n)
		}
	}
}
