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
	Seed    string `json:"seed"`
	Index   int    `json:"index"`
	Status  string `json:"status"`
	Kind    string `json:"kind"`
	Check   string `json:"check"`
	Message string `json:"message"`
	AtNS    int64  `json:"at_ns"`
	Events  int    `json:"events"`
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
			last := runHelper(t, os.Args[0], "TestBrokenHelper", "ETCDRAFT_TEST_BUG="+string(test.bug))
			if last.Status != "fail" || !slices.Contains(test.checks, last.Check) {
				t.Fatalf("seed %d of %d: %s %s %q, want one of the checks %q", last.Index+1, bugSeeds, last.Status, last.Kind, last.Check, test.checks)
			}
			t.Logf("caught by %s %q with seed %d", last.Kind, last.Check, last.Index+1)
		})
	}
}

// runHelper runs a helper in a process of its own and returns the result of its last
// seed: the failing one, if there is one.
func runHelper(t *testing.T, binary, helper string, env ...string) caught {
	t.Helper()
	dir := t.TempDir()
	results := filepath.Join(dir, "results.jsonl")
	cmd := exec.Command(binary, "-test.run=^"+helper+"$", "-test.timeout=1h")
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "FAULTLINE_") || strings.HasPrefix(v, "GITHUB_") })
	cmd.Env = append(cmd.Env, "FAULTLINE_RESULTS="+results, "FAULTLINE_ARTIFACTS="+dir)
	cmd.Env = append(cmd.Env, env...)
	output, _ := cmd.CombinedOutput() // a helper that fails is the purpose; the results say how
	data, err := os.ReadFile(results)
	if err != nil {
		t.Fatalf("no results: %v\n%s", err, output)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	var last caught
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return last
}
