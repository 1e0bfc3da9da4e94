// SPDX-License-Identifier: MPL-2.0

// Package onpurpose is for tests that fail on purpose: they run with a bug, to show that a check finds it.
//
// Such a test begins with [Skip], and an ordinary one beside it, which calls [Found], runs it in a process of its own
// and wants it to fail.
package onpurpose

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/sched"
)

// Skip skips t unless -run names it, as the line that replays a seed does.
func Skip(t *testing.T) {
	t.Helper()
	if !strings.Contains(flag.Lookup("test.run").Value.String(), t.Name()) {
		t.Skipf("fails on purpose; to see it, add -run '^%s$'", t.Name())
	}
}

// Found runs the test of that name and fails t unless one of its seeds fails with one of the signatures, such as
// "final:linearizable". No FAULTLINE_ variable of the environment reaches that test.
func Found(t *testing.T, test string, signatures ...string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	results := filepath.Join(t.TempDir(), "results.jsonl")
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^"+test+"$")
	cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "FAULTLINE_") || strings.HasPrefix(entry, "GITHUB_")
	})
	cmd.Env = append(cmd.Env, "FAULTLINE_RESULTS="+results, "FAULTLINE_ARTIFACTS="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("no seed of %s fails:\n%s", test, out)
	}
	lines, err := os.ReadFile(results)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range bytes.Lines(lines) {
		var result struct{ Signature, Message string }
		if err := json.Unmarshal(line, &result); err != nil {
			t.Fatalf("results: %v: %s", err, line)
		}
		for _, want := range signatures {
			// Without the wrapper the two attempts at a seed can differ in what came before; the message then has both signatures.
			if result.Signature == want || !sched.Available() && strings.Contains(result.Message, want) {
				return
			}
		}
	}
	t.Errorf("no seed of %s fails with one of %q:\n%s\n%s", test, signatures, lines, out)
}
