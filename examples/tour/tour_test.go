// SPDX-License-Identifier: MPL-2.0

package main

import (
	"strings"
	"testing"
)

func TestTour(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a wrapper and a service through it")
	}
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("FAULTLINE_SEED", "1") // of the caller: no business of the tour's
	var out strings.Builder
	if err := run(t.Context(), &tour{out: &out}); err != nil {
		t.Fatalf("%v\nafter:\n%s", err, &out)
	}
	for _, want := range []string{"replay:", "the same", "dropped the directory entry", "100 of 100 seeds pass", "All of it held"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the tour does not say %q:\n%s", want, &out)
		}
	}
}

func TestDifferingReplaysAreRefused(t *testing.T) {
	first := result{Seed: "0x1", Status: "fail", Signature: "invariant:x", TraceHash: "0xa", AtNS: 5, Level: "exact"}
	if err := sameRun(first, first); err != nil {
		t.Error(err)
	}
	for _, change := range []func(*result){
		func(r *result) { r.TraceHash = "0xb" },
		func(r *result) { r.Signature = "final:y" },
		func(r *result) { r.AtNS++ },
		func(r *result) { r.Events++ },
		func(r *result) { r.Level = "best-effort" },
	} {
		replayed := first
		change(&replayed)
		if err := sameRun(first, replayed); err == nil {
			t.Errorf("%+v passed for a replay of %+v", replayed, first)
		}
	}
}

func TestWhatIsReadFromTheConsole(t *testing.T) {
	const out = `=== RUN   TestX
--- FAIL: TestX (0.13s)
    x_test.go:1: faultline: running 20 seeds
    --- FAIL: TestX/seed=0x01 (0.12s)
        faultline: invariant "i" violated at t=1s (event 2)
        replay:    FAULTLINE_SEED=0x01 go test -v -run '^TestX$' example.com/x
        artifacts: /tmp/x/
    x_test.go:1: faultline: seed 0x01 failed
FAIL
`
	if got, want := replayCommand(out), "FAULTLINE_SEED=0x01 go test -v -run '^TestX$' example.com/x"; got != want {
		t.Errorf("replay command %q, want %q", got, want)
	}
	block := failureBlock(out)
	if !strings.HasPrefix(block, "    --- FAIL: TestX/seed") || !strings.HasSuffix(block, "artifacts: /tmp/x/\n") {
		t.Errorf("failure block:\n%s", block)
	}
}
