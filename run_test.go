// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sched"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// A server that syncs before it answers keeps its promise under the same faults that
// find the bug in the one that does not.
func TestCorrectServerPasses(t *testing.T) {
	faultline.Run(t, logOptions, logWorld(true))
}

func TestHelperBug(t *testing.T) {
	helper(t)
	faultline.Run(t, logOptions, logWorld(false))
}

func TestFailingSeedIsReportedAndReplays(t *testing.T) {
	r := runHelper(t, "TestHelperBug")
	line := r.wantFailure(t, "invariant:acked puts survive")
	seed := line["seed"].(string)
	r.want(t,
		`run_test.go:\d+: faultline: running 30 seeds from base 0x[0-9a-f]{16} \(test name\)`,
		`(?m)^    --- FAIL: TestHelperBug/seed=`+seed+` \(`,
		`(?m)^        faultline: invariant "acked puts survive" violated at t=\d+\.\d{9}s \(event \d+\)$`,
		`(?m)^          k\d+ was acknowledged, but n1 does not have it$`,
		`(?m)^        replay:    FAULTLINE_SEED=`+seed+` go test -v .*-run '\^TestHelperBug\$' github.com/hmdsefi/faultline$`,
		`(?m)^        artifacts: `+r.artifacts+`/github.com_hmdsefi_faultline/TestHelperBug/`+strings.TrimPrefix(seed, "0x")+`/$`,
		`run_test.go:\d+: faultline: seed `+seed+` failed, so \d+ of 30 seeds were not run`,
	)
	again := runHelper(t, "TestHelperBug", "FAULTLINE_SEED="+seed)
	same := again.wantFailure(t, "invariant:acked puts survive")
	for _, field := range []string{"seed", "message", "at_ns", "at", "events", "trace_hash"} {
		if line[field] != same[field] {
			t.Errorf("%s was %v in the first process and is %v in the replay", field, line[field], same[field])
		}
	}
	if len(again.results) != 1 {
		t.Errorf("the replay ran %d seeds", len(again.results))
	}
}

// The replay line is pasted into a shell, and gives the same run.
func TestReplayLineWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds this package once more")
	}
	if sched.Available() {
		if _, err := exec.LookPath("faultline-toolexec"); err != nil {
			t.Skip(err)
		}
	}
	r := runHelper(t, "TestHelperBug")
	line := r.wantFailure(t, "invariant:acked puts survive")
	command := regexp.MustCompile(`replay: +(.*)`).FindStringSubmatch(r.output)[1]
	results := filepath.Join(t.TempDir(), "results.jsonl")
	cmd := exec.Command("sh", "-c", command)
	cmd.Env = append(cleanEnv(), inHelper+"=1", "FAULTLINE_ARTIFACTS=off", "FAULTLINE_RESULTS="+results)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("the replay passed:\n%s", out)
	}
	data, err := os.ReadFile(results)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	same := parseResults(t, data)
	if len(same) != 1 || same[0]["trace_hash"] != line["trace_hash"] || same[0]["message"] != line["message"] {
		t.Errorf("first: %v\nreplay: %v", line, same)
	}
}

func TestResultsLines(t *testing.T) {
	r := runHelper(t, "TestHelperBug")
	for i, line := range r.results {
		want := map[string]any{
			"faultline_result": 1.0, "package": "github.com/hmdsefi/faultline", "test": "TestHelperBug",
			"index": float64(i), "determinism_level": "exact",
		}
		for field, value := range want {
			if line[field] != value {
				t.Errorf("line %d: %s is %v, want %v", i, field, line[field], value)
			}
		}
		last := i == len(r.results)-1
		if (line["status"] == "fail") != last || (line["artifact"] != nil) != last || (line["kind"] != nil) != last {
			t.Errorf("line %d of %d: %v", i, len(r.results), line)
		}
		if line["events"] == nil || line["trace_hash"] == nil || line["wall_ns"] == nil {
			t.Errorf("line %d lacks figures: %v", i, line)
		}
	}
	if len(r.results) == 0 {
		t.Error("no results line")
	}
}

func TestArtifactOfAFailingSeed(t *testing.T) {
	r := runHelper(t, "TestHelperBug")
	line := r.wantFailure(t, "invariant:acked puts survive")
	dir := line["artifact"].(string)
	for _, name := range []string{"report.json", "report.txt", "trace.jsonl", "schedule.json", "timeline.txt", "timeline.html", "history.jsonl", "toolexec-gaps.txt"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	var report struct {
		Failure struct {
			Kind, Check, Signature string
			Event                  int
			Record                 uint64
		}
		Replay string
		Run    struct {
			TraceHash string `json:"trace_hash"`
			Attempts  int
			Dropped   int
			Planners  []string
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &report); err != nil {
		t.Fatal(err)
	}
	if report.Failure.Signature != line["signature"] || report.Run.TraceHash != line["trace_hash"] {
		t.Errorf("report.json and the results line differ:\n%+v\n%v", report, line)
	}
	if report.Run.Attempts != 2 || report.Run.Dropped != 0 || report.Failure.Record == 0 || len(report.Run.Planners) != 1 {
		t.Errorf("report.json: %+v", report)
	}
}

func TestArtifactsOff(t *testing.T) {
	r := runHelper(t, "TestHelperBug", "FAULTLINE_ARTIFACTS=off")
	line := r.wantFailure(t, "invariant:acked puts survive")
	if line["artifact"] != nil || strings.Contains(r.output, "artifacts:") {
		t.Errorf("artifacts are off, yet: %v\n%s", line, r.output)
	}
}

func TestScheduleReplaysTheFaults(t *testing.T) {
	r := runHelper(t, "TestHelperBug")
	line := r.wantFailure(t, "invariant:acked puts survive")
	schedule := filepath.Join(line["artifact"].(string), "schedule.json")
	again := runHelper(t, "TestHelperBug", "FAULTLINE_SEED="+line["seed"].(string), "FAULTLINE_SCHEDULE="+schedule)
	same := again.wantFailure(t, "invariant:acked puts survive")
	for _, field := range []string{"message", "at_ns", "events"} {
		if line[field] != same[field] {
			t.Errorf("%s was %v under the planner and is %v under its schedule", field, line[field], same[field])
		}
	}
	again.want(t, `replay: .*FAULTLINE_SCHEDULE=`+schedule)
}

func TestTraceFullKeepsPassingSeeds(t *testing.T) {
	r := runHelper(t, "TestHelperPass", "FAULTLINE_TRACE=full", "FAULTLINE_SEEDS=2")
	if len(r.results) != 2 || r.code != 0 {
		t.Fatalf("exit code %d, results %v\n%s", r.code, r.results, r.output)
	}
	for _, line := range r.results {
		dir, _ := line["artifact"].(string)
		if _, err := os.Stat(filepath.Join(dir, "trace.jsonl")); err != nil {
			t.Error(err)
		}
	}
}

// ticker is a body of one node that counts ticks of 100 ms and hands the count to see.
func ticker(see func(w *faultline.World, ticks int)) func(w *faultline.World) {
	return func(w *faultline.World) {
		ticks := 0
		w.AddServer("n1", func(n *kernel.Node) {
			var tick func()
			tick = func() {
				ticks++
				see(w, ticks)
				n.After(100*time.Millisecond, tick)
			}
			tick()
		})
	}
}

var second = faultline.Options{Seeds: 3, Duration: time.Second}

func TestHelperPass(t *testing.T) {
	helper(t)
	faultline.Run(t, second, ticker(func(*faultline.World, int) {}))
}

func TestSeedVariables(t *testing.T) {
	seeds := func(r helperRun) string {
		var list []string
		for _, line := range r.results {
			list = append(list, line["seed"].(string)[14:])
		}
		return strings.Join(list, " ")
	}
	tests := []struct {
		env  []string
		want string
		log  string
	}{
		{[]string{"FAULTLINE_SEED=7"}, "0007", `running 1 seed from FAULTLINE_SEED`},
		{[]string{"FAULTLINE_SEED_LIST=0x1,0xff 3"}, "0001 00ff 0003", `running 3 seeds from FAULTLINE_SEED_LIST`},
		{[]string{"FAULTLINE_BASE_SEED=1", "FAULTLINE_SEEDS=2"}, "5cc1 ec67", `running 2 seeds from base 0x0000000000000001 \(FAULTLINE_BASE_SEED\)`},
		{[]string{"FAULTLINE_SEED=7", "FAULTLINE_SEEDS=5"}, "0007", `FAULTLINE_SEEDS=5 is ignored, because FAULTLINE_SEED is set`},
	}
	for _, tt := range tests {
		r := runVerbose(t, "TestHelperPass", tt.env...)
		if got := seeds(r); got != tt.want || r.code != 0 {
			t.Errorf("%v: exit code %d, seeds end in %s, want %s\n%s", tt.env, r.code, got, tt.want, r.output)
		}
		r.want(t, tt.log)
	}
	r := runVerbose(t, "TestHelperPass", "FAULTLINE_EXPLORE=1")
	r.want(t, `to run these seeds again: FAULTLINE_BASE_SEED=0x[0-9a-f]{16} FAULTLINE_SEEDS=3 go test -v .*-run '\^TestHelperPass\$'`)
}

func TestHelperKeepGoing(t *testing.T) {
	helper(t)
	opts := second
	opts.KeepGoing = true
	faultline.Run(t, opts, ticker(func(w *faultline.World, n int) {
		if n == 5 {
			w.T().Fatalf("tick %d", n)
		}
	}))
}

func TestKeepGoingRunsAllSeeds(t *testing.T) {
	r := runHelper(t, "TestHelperKeepGoing")
	if len(r.failing()) != 3 {
		t.Errorf("%d seeds failed, want 3\n%s", len(r.failing()), r.output)
	}
	r.want(t, `faultline: 3 of 3 seeds failed\n\s+3 times fail:`)
}
