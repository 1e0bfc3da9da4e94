// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// fullRoot names the variable with the root for a process that cannot write a whole artifact.
const fullRoot = "ARTIFACT_TEST_FULL_ROOT"

// TestHelperFull writes an artifact and prints the error.
func TestHelperFull(t *testing.T) {
	root := os.Getenv(fullRoot)
	if root == "" {
		t.Skip("runs in a process that another test starts")
	}
	run := longRun(2_000)
	_, err := Write(root, run)
	t.Logf("error: %v", err)
}

// A disk without room gives an error that names the file, leaves the earlier artifact as it is, and nothing else. The limit of
// a process on the size of a file stands in for the disk.
func TestFullDisk(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	root := t.TempDir()
	dir := mustWrite(t, root, sampleRun())
	before := readAll(t, dir)
	cmd := exec.Command("sh", "-c", `ulimit -f 64 || exit 3; exec "$0" -test.run='^TestHelperFull$' -test.v`, os.Args[0])
	cmd.Env = append(os.Environ(), fullRoot+"="+root)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == 3 {
		t.Skipf("no limit can be set: %s", out)
	}
	if err != nil || !strings.Contains(string(out), "error: artifact: "+dir+": "+TraceFile+": ") || !strings.Contains(string(out), "too large") {
		t.Errorf("%v\n%s", err, out)
	}
	if after := readAll(t, dir); !reflect.DeepEqual(after, before) {
		t.Error("the earlier artifact has changed")
	}
	checkNothingElse(t, filepath.Dir(dir), filepath.Base(dir))
}
