// SPDX-License-Identifier: MPL-2.0

package kv_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The bug is found, by the check that is there to find it. The failing test runs in a process of its own.
func TestSkipSyncDirIsFound(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	results := filepath.Join(t.TempDir(), "results.jsonl")
	cmd := exec.Command(self, "-test.run=^TestKVSkipSyncDir$")
	cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "FAULTLINE_") || strings.HasPrefix(entry, "GITHUB_")
	})
	cmd.Env = append(cmd.Env, "FAULTLINE_RESULTS="+results, "FAULTLINE_ARTIFACTS="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("no seed fails:\n%s", out)
	}
	lines, err := os.ReadFile(results)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := `"check":"acknowledged writes survive"`; !strings.Contains(string(lines), want) {
		t.Errorf("no line of the results has %s:\n%s\n%s", want, lines, out)
	}
}
