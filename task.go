// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/internal/rerun"
)

// task is what a Run does in a process that another Run has started: one seed, which
// FAULTLINE_SEED names.
type task struct {
	Purpose purpose
	Test    string // the one whose Run is meant
	Index   int    // of the seed in the list of the other Run
	Source  string // of that list
	Base    uint64 // of that list

	log io.Writer // what the other Run shows as the log of the seed's subtest
}

// purpose is why a process runs a seed.
type purpose string

const (
	// toConfirm is to see whether the seed fails in a fresh process as well.
	toConfirm purpose = "confirm"
	// toIsolate is to run the seed on behalf of the other Run, up to its artifact.
	toIsolate purpose = "isolate"
)

// The files that a process leaves for the one that started it.
const (
	resultsName = "results.jsonl"
	logName     = "log"
)

// readTask returns the task of this process, or nil if it was started by anybody else.
func readTask() *task {
	text, started := rerun.Task()
	if !started {
		return nil
	}
	k := &task{log: io.Discard}
	if err := json.Unmarshal([]byte(text), k); err != nil {
		panic("faultline: the task of this process: " + err.Error())
	}
	return k
}

// is reports whether there is a task of that purpose.
func (k *task) is(p purpose) bool { return k != nil && k.Purpose == p }

// open makes the files of the task.
func (k *task) open() (resultsFile, error) {
	log, err := os.Create(rerun.File(logName))
	if err != nil {
		return resultsFile{}, err
	}
	k.log = log
	return openResults(rerun.File(resultsName))
}

// plan is a list of the one seed, with its place in the list of the other Run.
func (k *task) plan(seed uint64) seedPlan {
	return seedPlan{seeds: []uint64{seed}, first: k.Index, source: k.Source, base: k.Base}
}

// loggedTB is a test whose log goes elsewhere.
type loggedTB struct {
	testing.TB
	log io.Writer
}

func (tb loggedTB) Output() io.Writer { return tb.log }

// keptFlags are the flags of package testing that a test can notice.
var keptFlags = []string{"test.short", "test.paniconexit0"}

// start starts a process with the task of running the seed. The command says what
// else it needs.
func (s *seedRun) start(p purpose, c rerun.Command) (*rerun.Process, error) {
	text, err := json.Marshal(task{Purpose: p, Test: s.t.Name(), Index: s.index, Source: s.plan.source, Base: s.plan.base})
	if err != nil {
		return nil, err
	}
	c.Run, c.Task, c.Flags = runPattern(s.t.Name()), string(text), append(c.Flags, keptFlags...)
	maps.Copy(c.Env, map[string]string{
		envSeed: formatSeed(s.seed), envList: "", envSeeds: "", envBase: "", envExplore: "",
		envIsolate: "0", envResults: "", envRunning: "",
	})
	for _, name := range dependedOn {
		c.Env[name] = portable(name, os.Getenv(name))
	}
	return rerun.Start(c)
}

// timeLeft returns how long a process that t starts may take for t to be able to
// report on it; 0 means as long as it likes.
func timeLeft(t *testing.T) (d time.Duration, some bool) {
	deadline, limited := t.Deadline()
	if !limited {
		return 0, true
	}
	left := time.Until(deadline)
	left -= min(left/10, 10*time.Second)
	return left, left > 0
}

// ending is what is left of a process with a task.
type ending struct {
	rerun.Exit
	line *result // nil if the process did not get as far
	log  string
}

// end waits for the end of a process with a task.
func end(p *rerun.Process) (e ending, err error) {
	e.Exit = p.Wait()
	lines, err := readFile(p, resultsName)
	if err != nil {
		return e, err
	}
	if first, _, _ := strings.Cut(lines, "\n"); first != "" {
		if err := json.Unmarshal([]byte(first), &e.line); err != nil {
			return e, fmt.Errorf("%s: %w", resultsName, err)
		}
	}
	e.log, err = readFile(p, logName)
	return e, err
}

// readFile returns what a process has written to a file, if anything.
func readFile(p *rerun.Process, name string) (string, error) {
	text, err := os.ReadFile(p.File(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}
