// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/artifact"
)

// TestHelperPinned runs other helpers as pinned tests do.
func TestHelperPinned(t *testing.T) {
	helper(t)
	faultline.Pin(t, os.Getenv("HELPER_PIN"))
	switch os.Getenv("HELPER_PINNED") {
	case "subtests":
		TestHelperTwoBugs(t)
	case "lost update":
		TestHelperLostUpdate(t)
	case "nothing":
	default:
		TestHelperBug(t)
	}
}

// TestHelperTwoBugs has two Runs, each in a subtest.
func TestHelperTwoBugs(t *testing.T) {
	helper(t)
	for _, name := range []string{"one", "other"} {
		t.Run(name, func(t *testing.T) { faultline.Run(t, logOptions, logWorld(false)) })
	}
}

// pinOf copies from an artifact what a pin needs.
func pinOf(t *testing.T, line map[string]any) string {
	t.Helper()
	run, err := artifact.Read(line["artifact"].(string))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "pin")
	if err := artifact.WriteTo(dir, run, artifact.ScheduleFile, artifact.DecisionsFile); err != nil {
		t.Fatal(err)
	}
	return dir
}

func wantSameRun(t *testing.T, got, want map[string]any) {
	t.Helper()
	for _, field := range []string{"seed", "signature", "message", "at_ns", "events", "trace_hash"} {
		if got[field] != want[field] {
			t.Errorf("%s is %v in the pinned test, and was %v", field, got[field], want[field])
		}
	}
}

func TestPinRunsTheSeed(t *testing.T) {
	line := runHelper(t, "TestHelperBug").wantFailure(t, "invariant:acked puts survive")
	pin := "HELPER_PIN=" + pinOf(t, line)
	seed := line["seed"].(string)
	for _, env := range [][]string{
		nil,
		{"FAULTLINE_SEEDS=3", "FAULTLINE_EXPLORE=1"},
		{"FAULTLINE_SEED=" + seed},
		{"FAULTLINE_ISOLATE=1"},
	} {
		r := runVerbose(t, "TestHelperPinned", append(env, pin)...)
		wantSameRun(t, r.wantFailure(t, "invariant:acked puts survive"), line)
		r.want(t, `fresh run: replay verified`, `replay: +FAULTLINE_SEED=`+seed+` go test -v .*-run '\^TestHelperPinned\$'`)
		if len(r.results) != 1 {
			t.Errorf("%v: %d seeds ran", env, len(r.results))
		}
	}
	runVerbose(t, "TestHelperPinned", pin, "FAULTLINE_SEEDS=3").want(t, `running 1 seed from Pin`, `FAULTLINE_SEEDS is ignored, because the test is pinned`)
}

// The faults are those of the pin, whatever the planners would do now.
func TestPinHasItsOwnFaults(t *testing.T) {
	line := runHelper(t, "TestHelperBug").wantFailure(t, "invariant:acked puts survive")
	dir := pinOf(t, line)
	path := filepath.Join(dir, artifact.ScheduleFile)
	if err := os.WriteFile(path, []byte(`{"faultline_schedule": 1, "end": 10000000000, "recovery": 0, "events": []}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := runHelper(t, "TestHelperPinned", "HELPER_PIN="+dir); r.code != 0 {
		t.Errorf("fails without faults:\n%s", r.output)
	}
}

func TestPinIsTurnedOff(t *testing.T) {
	line := runHelper(t, "TestHelperBug").wantFailure(t, "invariant:acked puts survive")
	pin := "HELPER_PIN=" + pinOf(t, line)
	for _, env := range []string{"FAULTLINE_SEED=0x5", "FAULTLINE_SEED_LIST=0x5"} {
		r := runVerbose(t, "TestHelperPinned", pin, env)
		r.want(t, `the pin to seed 0x[0-9a-f]+ is ignored`)
		if len(r.results) != 1 || !strings.HasSuffix(r.results[0]["seed"].(string), "05") {
			t.Errorf("%s: results %v", env, r.results)
		}
	}
}

func TestPinOfASubtest(t *testing.T) {
	line := runHelper(t, "TestHelperTwoBugs", "FAULTLINE_SEEDS=30").failing()[1]
	if !strings.HasSuffix(line["test"].(string), "/other") {
		t.Fatalf("the second failure is %v", line)
	}
	r := runVerbose(t, "TestHelperPinned", "HELPER_PIN="+pinOf(t, line), "HELPER_PINNED=subtests")
	wantSameRun(t, r.wantFailure(t, line["signature"].(string)), line)
	r.want(t, `SKIP: TestHelperPinned/one`, `pinned to a seed of TestHelperPinned/other`)
}

func TestPinOfGoroutines(t *testing.T) {
	line := runHelper(t, "TestHelperLostUpdate").failing()
	if len(line) == 0 {
		t.Skip("no seed fails in this build")
	}
	r := runVerbose(t, "TestHelperPinned", "HELPER_PIN="+pinOf(t, line[0]), "HELPER_PINNED=lost update")
	if line[0]["exact_backend"] != nil {
		wantSameRun(t, r.wantFailure(t, "fail:n1"), line[0])
		r.want(t, `decisions: followed all \d+ decisions`)
	}
}

func TestPinErrors(t *testing.T) {
	r := runHelper(t, "TestHelperPinned", "HELPER_PIN="+t.TempDir())
	r.want(t, `pin_test.go:\d+: faultline: cannot pin: .*not an artifact directory`)
	line := runHelper(t, "TestHelperBug").wantFailure(t, "invariant:acked puts survive")
	r = runHelper(t, "TestHelperPinned", "HELPER_PIN="+pinOf(t, line), "HELPER_PINNED=nothing")
	if r.code == 0 {
		t.Error("a pin that is not used passes")
	}
	r.want(t, `the pin was not used: no Run of TestHelperPinned`)
}
