// SPDX-License-Identifier: MPL-2.0

package page_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/sched/decisions"
	"github.com/hmdsefi/faultline/sim/history"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// madeRun returns a failing run with n records of five nodes that send each other
// messages, write and crash.
func madeRun(n int) *artifact.Run {
	const nodes = 5
	run := &artifact.Run{Report: artifact.Report{
		Status: artifact.Fail, Package: "example.com/made", Test: "TestMade", Seed: 42, SeedSource: "made", Mode: "goroutine",
	}}
	for id := 1; id <= nodes; id++ {
		run.Report.Nodes = append(run.Report.Nodes, artifact.Node{ID: id, Name: fmt.Sprintf("n%d", id), Inc: 1, State: "up"})
	}
	at, last := kernel.Time(0), uint64(0)
	add := func(node int, kind kernel.Kind, cause uint64, text string, attrs ...string) uint64 {
		r := kernel.Record{Seq: last + 1, At: at, Node: kernel.NodeID(node), Inc: 1, Kind: kind, Cause: cause, Text: text}
		for i := 0; i < len(attrs); i += 2 {
			r.Attrs = append(r.Attrs, kernel.Attr{Key: attrs[i], Value: attrs[i+1]})
		}
		run.Records = append(run.Records, r)
		last++
		return last
	}
	for id := 1; id <= nodes; id++ {
		add(id, kernel.KindBoot, 0, fmt.Sprintf("n%d", id))
	}
	for step := 0; len(run.Records) < n-1; step++ {
		from, to := step%nodes+1, (step*3+1)%nodes+1
		at += kernel.Time(700 * time.Microsecond)
		sent := add(from, "net.send", last, fmt.Sprintf("MsgApp term %d index %d", step/1000, step), "to", fmt.Sprintf("n%d", to))
		at += kernel.Time(300 * time.Microsecond)
		if step%40 == 0 {
			add(from, "net.drop", sent, "MsgApp", "reason", "loss", "from", fmt.Sprintf("n%d", from), "to", fmt.Sprintf("n%d", to))
			continue
		}
		got := add(to, "net.deliver", sent, fmt.Sprintf("MsgApp term %d index %d", step/1000, step), "from", fmt.Sprintf("n%d", from))
		add(to, "disk.write", got, fmt.Sprintf("/log at %d: 64 bytes", 64*step), "path", "/log", "off", fmt.Sprint(64*step), "len", "64", "crc32c", fmt.Sprintf("%08x", step*2654435761))
		add(to, "disk.sync", got, "/log", "path", "/log", "result", "ok")
		if step%500 == 499 {
			crash := add(to, kernel.KindCrash, add(to, "fault.crash", 0, fmt.Sprintf("n%d", to), "id", fmt.Sprint(step)), "")
			add(to, kernel.KindRestart, crash, fmt.Sprintf("n%d", to))
		}
	}
	run.Records = run.Records[:n-1]
	last = uint64(n - 1)
	failure := add(0, kernel.KindFail, last, "it broke")
	run.Report.Failure = &artifact.Failure{Kind: "invariant", Check: "made", Message: "it broke", AtNS: int64(at), Record: failure}
	run.Report.Run = artifact.Stats{EndNS: int64(at), Records: uint64(n), Stop: "failure"}
	return run
}

// written writes the page of run alone and returns its folder.
func written(t *testing.T, run *artifact.Run) string {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, artifact.PageFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := artifact.Page(f, run); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The times are logged, not tested: they are of the machine.
func TestFiftyThousandRecords(t *testing.T) {
	p := newTab(t)
	dir := written(t, madeRun(50_000))
	info, err := os.Stat(filepath.Join(dir, artifact.PageFile))
	p.must(err)
	p.open(dir)
	first := p.number(`performance.getEntriesByName("faultline first view")[0].duration`)
	p.must(p.Eval(`performance.clearMeasures()`, nil))
	p.press("0")
	p.holds("the whole run is in view", `document.getElementById("status").textContent.startsWith("0.000000000s to")`)
	for range 10 {
		p.press("+")
	}
	draws := p.text(`performance.getEntriesByName("faultline draw").map((e) => Math.round(e.duration)).join(" ")`)
	t.Logf("%d bytes; first view %.0f ms after the script began; ms of each drawing, from the whole run inwards: %s", info.Size(), first, draws)
	if got := p.count("records"); got != 50_000 {
		t.Errorf("%d records", got)
	}
	if p.number(coloured("message")) == 0 {
		t.Error("no message is drawn")
	}
}

func TestHostileText(t *testing.T) {
	const hostile = `</script><script>alert(1)</script><img src=x onerror="alert(2)">{{script}}`
	run := madeRun(40)
	run.Report.Test = "Test" + hostile
	run.Report.Failure.Message = hostile
	run.Report.Failure.Stack = hostile
	run.Report.Nodes[0].Name = hostile
	end := &run.Records[len(run.Records)-1]
	end.Text, end.Attrs = hostile, []kernel.Attr{{Key: hostile, Value: hostile}}
	run.History = []history.Op{{ID: 1, Process: hostile, F: hostile, Status: history.Pending, Input: hostile, Output: hostile}}
	p := newTab(t)
	p.open(written(t, run))
	if got := p.text(`document.getElementById("message").textContent`); got != hostile {
		t.Errorf("the message is %q", got)
	}
	if got := p.details(); strings.Count(got, hostile) != 4 {
		t.Errorf("the details are %q", got)
	}
	p.holds("no image and no script more", `document.images.length === 0 && document.scripts.length === 2`)
}

// A page of a passing run has no failure to point at.
func TestPassingRun(t *testing.T) {
	run := madeRun(200)
	run.Report.Status, run.Report.Failure = artifact.Pass, nil
	p := newTab(t)
	p.open(written(t, run))
	p.holds("no way to a failure", `document.getElementById("zoom-failure").hidden && document.getElementById("headline").textContent === "passed"`)
	p.press("j", "f", "c")
	if got := p.count("records"); got != 200 {
		t.Errorf("%d records", got)
	}
}

// The longest and the shortest run that there can be, one with a record a century
// after the first, and one without a record of the failure.
func TestExtremeRuns(t *testing.T) {
	late := madeRun(30)
	late.Records[29].At = math.MaxInt64
	late.Report.Failure.AtNS, late.Report.Run.EndNS = math.MaxInt64, math.MaxInt64
	short := madeRun(6)
	short.Records = short.Records[:1]
	short.Report.Failure.Record, short.Report.Failure.AtNS, short.Report.Run.EndNS = 1, 0, 0
	unrecorded := madeRun(30)
	unrecorded.Report.Failure.Record = 0
	for name, run := range map[string]*artifact.Run{"late": late, "short": short, "unrecorded": unrecorded} {
		t.Run(name, func(t *testing.T) {
			p := newTab(t)
			p.open(written(t, run))
			p.press("0", "+", "+", "ArrowLeft", "-", "z", "f", "j", "t", "c", "e", "l", "b")
			p.holds("the failure is marked", coloured("bad")+" > 100")
			if got := p.count("records"); got != len(run.Records) {
				t.Errorf("%d records, want %d", got, len(run.Records))
			}
		})
	}
}

func TestDecisions(t *testing.T) {
	run := madeRun(100)
	var b strings.Builder
	b.WriteString("faultline_decisions 1\nseed 0x2a\nstrategy random\nplace 1 main.(*server).loop /home/u/server.go:17\nplace 2 sync.(*Mutex).Lock /go/src/sync/mutex.go:46\n")
	for i := range 5_000 {
		fmt.Fprintf(&b, "hand-over %d of 3 at %d\nmay-yield %d stays 2\n", i%7+1, i%2+1, i%7+1)
	}
	b.WriteString("end 15000\n")
	log, err := decisions.Read(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	run.Decisions = log
	p := newTab(t)
	p.open(written(t, run))
	p.must(p.Eval(`document.getElementById("scene-goroutines").click()`, nil))
	p.settle()
	if got := p.count("turns"); got != 5_000 {
		t.Errorf("%d turns", got)
	}
	p.holds("a lane for each goroutine", `document.querySelectorAll(".lane-label").length === 7`)
	if got := p.details(); !strings.Contains(got, "sync.(*Mutex).Lock /go/src/sync/mutex.go:46") || !strings.Contains(got, "14998 to 15000") {
		t.Errorf("the details are %q", got)
	}
	p.press("k")
	if got := p.details(); !strings.Contains(got, "main.(*server).loop /home/u/server.go:17") {
		t.Errorf("the details are %q", got)
	}
	p.press("/")
	p.press(strings.Split("mutex", "")...)
	if got := p.count("turns"); got != 2_500 {
		t.Errorf("the search finds %d turns", got)
	}
}
