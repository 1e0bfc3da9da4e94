// SPDX-License-Identifier: MPL-2.0

package etcdraft_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/harness/etcdraft"
)

// bugSeeds is the number of seeds within which each bug must be caught.
const bugSeeds = 20

// TestBrokenHelper runs the harness with the bug that the environment names. It is
// run by other tests only, in a process of its own, since it is to fail.
func TestBrokenHelper(t *testing.T) {
	bug := os.Getenv("ETCDRAFT_TEST_BUG")
	if bug == "" {
		t.Skip("a helper of TestBugsAreCaught")
	}
	etcdraft.Test(t, faultline.Options{Seeds: bugSeeds}, etcdraft.Config{Bug: etcdraft.Bug(bug)})
}

// caught is a line of the results file.
type caught struct {
	Index  int    `json:"index"`
	Status string `json:"status"`
	Kind   string `json:"kind"`
	Check  string `json:"check"`
}

func TestBugsAreCaught(t *testing.T) {
	for _, test := range []struct {
		bug    etcdraft.Bug
		checks []string
	}{
		{etcdraft.BugSendBeforePersist, []string{"durable state"}},
		{etcdraft.BugSkipSync, []string{"durable state"}},
		{etcdraft.BugApplyBeforeCommit, []string{"ready contract"}},
		{etcdraft.BugForgetHardState, []string{"hard state monotonic"}},
		{etcdraft.BugSnapshotOffByOne, []string{"state machine safety"}},
	} {
		t.Run(string(test.bug), func(t *testing.T) {
			lines := runBroken(t, test.bug)
			last := lines[len(lines)-1]
			if last.Status != "fail" || !slices.Contains(test.checks, last.Check) {
				t.Fatalf("seed %d of %d: %s %s %q, want one of the checks %q", last.Index+1, bugSeeds, last.Status, last.Kind, last.Check, test.checks)
			}
			t.Logf("caught by %s %q with seed %d", last.Kind, last.Check, last.Index+1)
		})
	}
}

// runBroken returns the results of the helper.
func runBroken(t *testing.T, bug etcdraft.Bug) []caught {
	t.Helper()
	dir := t.TempDir()
	results := filepath.Join(dir, "results.jsonl")
	cmd := exec.Command(os.Args[0], "-test.run=^TestBrokenHelper$")
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "FAULTLINE_") }),
		"ETCDRAFT_TEST_BUG="+string(bug), "FAULTLINE_RESULTS="+results, "FAULTLINE_ARTIFACTS="+dir)
	output, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("the helper passed:\n%s", output)
	}
	data, err := os.ReadFile(results)
	if err != nil {
		t.Fatal(err)
	}
	var lines []caught
	for line := range strings.Lines(string(data)) {
		var c caught
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, c)
	}
	if len(lines) == 0 {
		t.Fatalf("no results:\n%s", output)
	}
	return lines
}
