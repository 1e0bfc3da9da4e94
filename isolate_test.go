// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sched"
)

// transient are figures of real time and ids of goroutines, which differ from run to run.
var transient = regexp.MustCompile(`,"wall_ns":\d+|\(\d+\.\d\ds\)|goroutine \d+|bubble \d+`)

// everything is all that a run of a helper leaves behind, by name, without what differs from run to run.
func (r helperRun) everything(t *testing.T) map[string]string {
	t.Helper()
	clean := func(text string) string {
		return transient.ReplaceAllString(strings.ReplaceAll(text, r.artifacts, "<root>"), "")
	}
	all := map[string]string{"code": fmt.Sprint(r.code), "results": clean(r.lines), "console": clean(r.console())}
	err := filepath.WalkDir(r.artifacts, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, r.artifacts)] = clean(string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// console is the output without the lines on standard error that name the seed a process may die of.
func (r helperRun) console() string {
	var b strings.Builder
	for line := range strings.Lines(r.output) {
		if !strings.HasPrefix(line, "faultline: running seed") && !strings.HasPrefix(line, "faultline: warming up") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestIsolationChangesNothing(t *testing.T) {
	type test struct {
		helper string
		env    []string
	}
	tests := []test{
		{"TestHelperBug", nil},
		{"TestHelperBug", []string{"FAULTLINE_SEED=1"}},
		{"TestHelperBug", []string{"FAULTLINE_SEED_LIST=1,2,3", "FAULTLINE_ARTIFACTS=off"}},
		{"TestHelperPass", []string{"FAULTLINE_TRACE=full", "FAULTLINE_CHECK_DETERMINISM=1"}},
		{"TestHelperKeepGoing", nil},
		{"TestHelperSkip", nil},
		{"TestHelperLogs", nil},
		{"TestHelperGoals", nil},
		{"TestHelperGoalTwice", nil},
		{"TestHelperTwoRuns", nil},
		{"TestHelperPrints", nil},
		{"TestHelperProcessError", nil},
		{"TestHelperDeadlock", nil},
		{"TestHelperLeak", nil},
	}
	if sched.Available() {
		tests = append(tests, test{"TestHelperBusy", []string{"FAULTLINE_SEEDS=8"}}, test{"TestHelperBusyFailing", []string{"FAULTLINE_SEEDS=6"}})
	}
	for _, tt := range tests {
		t.Run(tt.helper+strings.Join(tt.env, " "), func(t *testing.T) {
			want := runHelper(t, tt.helper, tt.env...).everything(t)
			got := runHelper(t, tt.helper, append(tt.env, "FAULTLINE_ISOLATE=1")...).everything(t)
			for name, text := range want {
				if got[name] != text {
					t.Errorf("%s is\n%s\nwithout isolation, and with it\n%s", name, text, got[name])
				}
				delete(got, name)
			}
			for name, text := range got {
				t.Errorf("%s is only there with isolation:\n%s", name, text)
			}
		})
	}
}

// TestHelperBusyFailing fails at every seed, in one of three ways: seeds are confirmed between others.
func TestHelperBusyFailing(t *testing.T) {
	helper(t)
	opts := goroutines(6, 5*time.Second)
	opts.KeepGoing = true
	faultline.Run(t, opts, func(w *faultline.World) {
		busyWorld(w)
		w.Final(fmt.Sprint("check ", w.Sim.Seed()%3), func() error { return errors.New("no") })
	})
}

// TestHelperPrints writes past the test's log.
func TestHelperPrints(t *testing.T) {
	helper(t)
	faultline.Run(t, second, ticker(func(w *faultline.World, n int) {
		if n == 2 {
			fmt.Printf("seed %x is at tick 2\n", w.Sim.Seed())
		}
		if n == 3 && w.Sim.Seed()%2 == 0 {
			w.T().Fatal("even")
		}
	}))
}

// TestHelperDeaths dies in a way that the seed names, or passes.
func TestHelperDeaths(t *testing.T) {
	helper(t)
	opts := goroutines(1, time.Second)
	opts.Isolate, opts.StallTimeout = true, 300*time.Millisecond
	faultline.Run(t, opts, func(w *faultline.World) {
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			time.Sleep(300 * time.Millisecond)
			if die := deaths[w.Sim.Seed()].die; die != nil {
				die()
			}
			return idle(ctx, p)
		})
	})
}

// deaths by seed; 0 is that of the warm-up.
var deaths = map[uint64]struct {
	die                func()
	signature, message string
	file               string // in the artifact
}{
	2: {func() { go panic("nobody recovers") }, `panic:github.com/hmdsefi/faultline_test\.\S+`, `^n1#1: nobody recovers`, "stderr.txt"},
	3: {func() { fmt.Println("leaving"); os.Exit(3) }, `fail:the process`, `it ended with exit status 3 before the run was over; its last output:\nleaving`, "stdout.txt"},
	4: {func() { log.Fatal("no disk") }, `fail:the process`, `(?s)exit status 1 .* no disk`, "stderr.txt"},
	5: {func() { new(sync.Mutex).Unlock() }, `panic:github.com/hmdsefi/faultline_test\.\S+`, `^n1#1: fatal error: sync: unlock of unlocked mutex`, "stderr.txt"},
	7: {stall, `stall:run`, `no progress for 300ms of real time`, "stall.txt"},
	8: {func() { self, _ := os.FindProcess(os.Getpid()); self.Kill(); select {} }, `fail:the process`, `signal: killed`, "stderr.txt"},
}

// stall waits for real I/O that never comes.
func stall() {
	r, _, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	r.Read(make([]byte, 1))
}

// One seed's death is that seed's failure, and the others go on.
func TestDeathsAreFailuresOfTheirSeeds(t *testing.T) {
	r := runHelper(t, "TestHelperDeaths", "FAULTLINE_SEED_LIST=1,2,3,4,5,6,7,8,9")
	if r.code != 1 || len(r.results) != 9 {
		t.Fatalf("exit code %d, %d results lines; want 1 and 9\n%s", r.code, len(r.results), r.output)
	}
	for i, line := range r.results {
		d, dies := deaths[uint64(i+1)]
		if line["index"] != float64(i) || line["seed"] != fmt.Sprintf("0x%016x", i+1) || (line["status"] == "fail") != dies {
			t.Errorf("results line %d: %v", i, line)
		}
		if !dies {
			continue
		}
		signature, message := line["signature"].(string), line["message"].(string)
		if !regexp.MustCompile("^"+d.signature+"$").MatchString(signature) || !regexp.MustCompile(d.message).MatchString(message) {
			t.Errorf("seed %d: signature %q, message %q", i+1, signature, message)
		}
		r.want(t, `(?m)^ +--- FAIL: TestHelperDeaths/seed=`+line["seed"].(string), `replay: +FAULTLINE_SEED=`+line["seed"].(string))
		if _, err := os.Stat(filepath.Join(line["artifact"].(string), d.file)); err != nil {
			t.Error(err)
		}
		if replay, detail := r.confirmation(t, line); replay != "verified" && detail != "seed 0x0000000000000003 failed in the same way" {
			t.Errorf("seed %d: replay %s: %s", i+1, replay, detail)
		}
	}
}

// The first failing seed ends the loop. Those after it were running, and leave nothing.
func TestIsolatedSeedsAfterAFailure(t *testing.T) {
	r := runHelper(t, "TestHelperLateFirst", "FAULTLINE_ISOLATE=1", "GOMAXPROCS=4", "FAULTLINE_TEST_DIR="+t.TempDir())
	line := r.wantFailure(t, "final:no")
	if line["index"] != 0.0 || len(r.results) != 1 {
		t.Errorf("results %v", r.results)
	}
	dirs, err := filepath.Glob(filepath.Join(r.artifacts, "*", "*", "*"))
	if err != nil || len(dirs) != 1 || dirs[0] != line["artifact"] {
		t.Errorf("artifacts %v, %v; want %v", dirs, err, line["artifact"])
	}
	r.want(t, `failed, so 2 of 3 seeds were not run`)
}

// TestHelperLateFirst fails for all seeds. The first one fails when the process of another has come to its end.
func TestHelperLateFirst(t *testing.T) {
	helper(t)
	opts := second
	opts.BaseSeed = 1
	faultline.Run(t, opts, func(w *faultline.World) {
		others := filepath.Join(os.Getenv("FAULTLINE_TEST_DIR"), "others")
		w.Final("no", func() error {
			if w.Sim.Seed() != firstOfBase1 {
				return errors.Join(errors.New("no"), os.WriteFile(others, nil, 0o600))
			}
			for {
				if _, err := os.Stat(others); err == nil {
					return errors.New("no")
				}
				time.Sleep(time.Millisecond)
			}
		})
	})
}

// firstOfBase1 is the first seed that derives from base 1.
const firstOfBase1 = 0x910a2dec89025cc1

// Processes end with the one that has started them, whatever they are at.
func TestIsolatedProcessesDieWithTheirParent(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestHelperOrphans$")
	cmd.Env = append(cleanEnv(), inHelper+"=1", "FAULTLINE_ISOLATE=1", "FAULTLINE_ARTIFACTS=off", "FAULTLINE_TEST_DIR="+dir, "TMPDIR="+dir, "GOMAXPROCS=2")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	locks := waitFor(t, func() ([]string, bool) {
		list, err := filepath.Glob(filepath.Join(dir, "*.pid"))
		return list, err == nil && len(list) == 2
	})
	cmd.Process.Kill()
	cmd.Wait()
	// They remove their directories when they notice.
	waitFor(t, func() ([]string, bool) {
		list, err := filepath.Glob(filepath.Join(dir, "faultline-*"))
		return list, err == nil && len(list) == 0
	})
	if len(locks) != 2 {
		t.Errorf("processes %v", locks)
	}
}

// waitFor asks until the answer is final.
func waitFor(t *testing.T, ask func() (answer []string, final bool)) []string {
	t.Helper()
	for {
		answer, final := ask()
		if final {
			return answer
		}
		time.Sleep(time.Millisecond)
	}
}

// TestHelperOrphans leaves the ids of its processes in a directory, and does not end.
func TestHelperOrphans(t *testing.T) {
	helper(t)
	faultline.Run(t, second, func(w *faultline.World) {
		name := filepath.Join(os.Getenv("FAULTLINE_TEST_DIR"), fmt.Sprint(os.Getpid(), ".pid"))
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			w.T().Fatal(err)
		}
		select {}
	})
}
