// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline"
)

// unlike are bodies that depend on the process they run in, and what is said of their
// replay.
var unlike = map[string]struct {
	body      func(w *faultline.World)
	signature string
	says      string
}{
	"trace": {
		body: ticker(func(w *faultline.World, n int) {
			w.Sim.Node("n1").Logf("process %d", os.Getpid())
			if n == 5 {
				w.T().Fatal("five")
			}
		}),
		signature: "fail:github.com/hmdsefi/faultline_test.init.func",
		says:      `replay not verified: the trace hash is 0x[0-9a-f]{16}, and 0x[0-9a-f]{16} in the fresh process`,
	},
	"message": {
		body: func(w *faultline.World) {
			w.Final("process", func() error { return fmt.Errorf("it is %d", os.Getpid()) })
		},
		signature: "final:process",
		says:      `replay not verified: the message is it is \d+, and it is \d+ in the fresh process`,
	},
	"check": {
		body: func(w *faultline.World) {
			name := fmt.Sprintf("process %d", os.Getpid())
			w.Final(name, func() error { return errors.New("no") })
		},
		signature: "final:process ",
		says:      `replay not verified: in the fresh process the failure is final:process \d+: no`,
	},
	"time": {
		body: ticker(func(w *faultline.World, n int) {
			if inFirst() || n == 5 {
				w.T().Fatal("five")
			}
		}),
		signature: "fail:github.com/hmdsefi/faultline_test.init.func",
		says:      `replay not verified: the time of the failure is 0\.000000000s, and 0\.400000000s in the fresh process`,
	},
	"pass": {
		body: func(w *faultline.World) {
			w.Final("the first process", func() error {
				if inFirst() {
					return errors.New("it is")
				}
				return nil
			})
		},
		signature: "final:the first process",
		says:      `replay not verified: the fresh process reported pass for this seed`,
	},
	"death": {
		body: func(w *faultline.World) {
			if !inFirst() {
				fmt.Fprintln(os.Stderr, "giving up")
				os.Exit(7)
			}
			w.T().Error("first")
		},
		signature: "fail:github.com/hmdsefi/faultline_test.init.func",
		says:      `replay not verified: in the fresh process the failure is fail:the process: it ended with exit status 7 .*\n +giving up`,
	},
	"setup": {
		body: func(w *faultline.World) {
			if !inFirst() {
				w.Sometimes("")
			}
			w.T().Error("first")
		},
		signature: "fail:github.com/hmdsefi/faultline_test.init.func",
		says:      `replay not verified: in the fresh process the failure is setup:Run: World.Sometimes was given an empty name`,
	},
}

// firstProcess names the variable that has the id of the process that a test of this file has started, and which starts others.
const firstProcess = "FAULTLINE_TEST_FIRST"

// inFirst reports whether this is the process that the test has started.
func inFirst() bool {
	if os.Getenv(firstProcess) == "" {
		os.Setenv(firstProcess, fmt.Sprint(os.Getpid()))
	}
	return os.Getenv(firstProcess) == fmt.Sprint(os.Getpid())
}

func TestHelperUnlike(t *testing.T) {
	helper(t)
	opts := second
	opts.Seeds = 1
	for name, u := range unlike {
		t.Run(name, func(t *testing.T) { faultline.Run(t, opts, u.body) })
	}
}

func TestReplayIsNotVerified(t *testing.T) {
	for name, u := range unlike {
		t.Run(name, func(t *testing.T) {
			r := startHelper(t, nil, "-test.run", "^TestHelperUnlike$/^"+name+"$")
			if len(r.results) != 1 || !strings.HasPrefix(r.results[0]["signature"].(string), u.signature) {
				t.Errorf("results %v, want one of signature %q", r.results, u.signature)
			}
			r.want(t, `(?m)^ +fresh run: `+u.says)
		})
	}
}

// confirmation returns what report.json says of the replay.
func (r helperRun) confirmation(t *testing.T, line map[string]any) (replay, detail string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(line["artifact"].(string), "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Confirmation struct{ Replay, Detail string }
	}
	if err := json.Unmarshal(data, &report); err != nil {
		t.Fatal(err)
	}
	return report.Confirmation.Replay, report.Confirmation.Detail
}

func TestReplayIsVerified(t *testing.T) {
	for _, name := range []string{"TestHelperBug", "TestHelperTempDir", "TestHelperDeadlock", "TestHelperTwoRuns"} {
		t.Run(name, func(t *testing.T) {
			r := runHelper(t, name)
			r.want(t, `(?m)^ +replay:    FAULTLINE_SEED=.*\n +fresh run: replay verified in a fresh process$`)
			for _, line := range r.failing() {
				if replay, detail := r.confirmation(t, line); replay != "verified" || detail != "" {
					t.Errorf("report.json: %q, %q", replay, detail)
				}
			}
			if len(r.failing()) == 0 {
				t.Error("no seed failed")
			}
		})
	}
}

// A message may name the temporary directory, which is another one in each process.
func TestHelperTempDir(t *testing.T) {
	helper(t)
	faultline.Run(t, second, func(w *faultline.World) {
		dir := w.T().TempDir()
		w.Final("file", func() error {
			_, err := os.ReadFile(filepath.Join(dir, "x"))
			return err
		})
	})
}

// TestHelperTwoRuns has a Run in a subtest and one of its own, and both fail.
func TestHelperTwoRuns(t *testing.T) {
	helper(t)
	body := func(w *faultline.World) { w.Final("no", func() error { return errors.New("no") }) }
	t.Run("sub", func(t *testing.T) { faultline.Run(t, second, body) })
	faultline.Run(t, second, body)
}

// Of several seeds that fail in one way the first is confirmed.
func TestOneSeedOfASignatureIsConfirmed(t *testing.T) {
	r := runHelper(t, "TestHelperKeepGoing")
	first := r.failing()[0]["seed"].(string)
	for i, line := range r.failing() {
		replay, detail := r.confirmation(t, line)
		if i == 0 && replay != "verified" || i > 0 && (replay != "not tried" || detail != "seed "+first+" failed in the same way") {
			t.Errorf("report.json of seed %d: %q, %q", i, replay, detail)
		}
	}
	if n := strings.Count(r.output, "fresh run: replay not tried: seed "+first+" failed in the same way"); n != 2 {
		t.Errorf("%d seeds were not confirmed, want 2\n%s", n, r.output)
	}
}

// What confirms a seed leaves no trace: no profile, no results line, no artifact, no temporary file.
func TestConfirmationLeavesNothingBehind(t *testing.T) {
	temp, profile := t.TempDir(), filepath.Join(t.TempDir(), "cpu")
	r := startHelper(t, []string{"TMPDIR=" + temp, "GOCOVERDIR=/does/not/exist"},
		"-test.run", "^TestHelperUnlike$/^pass$", "-test.cpuprofile", profile, "-test.short")
	if len(r.results) != 1 {
		t.Errorf("results %v", r.results)
	}
	if entries, err := os.ReadDir(temp); err != nil || len(entries) > 0 {
		t.Errorf("%v is left in the temporary directory, %v", entries, err)
	}
	if info, err := os.Stat(profile); err != nil || info.Size() == 0 {
		t.Errorf("the profile: %v, %v", info, err)
	}
}
