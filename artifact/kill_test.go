// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"testing"
	"time"
)

// killedRoot is set for the child process of TestKilledWriter.
const killedRoot = "FAULTLINE_TEST_KILLED_ROOT"

// TestKilledWriter kills a process that keeps writing one artifact, at a different
// moment each time: what stands at its place is whole or absent, and can be
// written again.
func TestKilledWriter(t *testing.T) {
	if root := os.Getenv(killedRoot); root != "" {
		for {
			if _, err := Write(root, trafficRun(2000)); err != nil {
				t.Fatal(err)
			}
		}
	}
	root := t.TempDir()
	run := trafficRun(2000)
	dir := Dir(root, run.Report.Package, run.Report.Test, uint64(run.Report.Seed))
	for i := range 8 {
		child := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$")
		child.Env = append(os.Environ(), killedRoot+"="+root)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, dir)
		time.Sleep(time.Duration(i) * 7 * time.Millisecond)
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := child.Wait(); err == nil {
			t.Fatal("the writer ended by itself")
		}
		if _, err := os.Lstat(dir); err == nil {
			if _, err := Read(dir); err != nil {
				t.Error(err)
			}
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		mustWrite(t, root, run)
	}
	if _, err := Read(dir); err != nil {
		t.Error(err)
	}
}

// waitFor waits until the first artifact is there.
func waitFor(t *testing.T, dir string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, err := os.Lstat(dir); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the child wrote nothing")
		}
	}
}
