// SPDX-License-Identifier: MPL-2.0

//go:build unix

package prepare

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// TestPrepareOnAFullDisk runs itself in a process that cannot write more than a few bytes to a file.
func TestPrepareOnAFullDisk(t *testing.T) {
	const variable, limit = "FAULTLINE_TEST_FULL_CACHE", 1 << 10
	job, tc := newFake(t)
	apply := job.Apply
	job.Apply = func(goroot string) (*Patch, error) {
		patch, err := apply(goroot)
		patch.Files["runtime/zlarge.go"] = bytes.Repeat([]byte("\n"), 2*limit)
		patch.Added["runtime/zlarge.go"] = true
		return patch, err
	}
	if dir := os.Getenv(variable); dir != "" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			t.Fatal(err)
		}
		job.Cache.Dir = dir
		_, _, err := job.Prepare(t.Context(), tc)
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestPrepareOnAFullDisk$")
	cmd.Env = append(os.Environ(), variable+"="+job.Cache.Dir)
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Count(string(out), "cannot write to the cache: ") != 1 || !strings.Contains(string(out), "zlarge.go") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := job.Cache.Open(tc); !errors.Is(err, ErrNotPrepared) {
		t.Errorf("after the failure: %v", err)
	}
	wantNothingPartial(t, job)
	if _, _, err := job.Prepare(t.Context(), tc); err != nil {
		t.Errorf("with space: %v", err)
	}
}

// An entry that another user made for himself is an error that names it, and not a reason to prepare again.
func TestUnreadableCache(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	job, tc := newFake(t)
	e, _, err := job.Prepare(t.Context(), tc)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(e.Dir, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(e.Dir, 0o700)
	if _, _, err := job.Prepare(t.Context(), tc); !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), e.Dir) {
		t.Errorf("got %v", err)
	}
}
