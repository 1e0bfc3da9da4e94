// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"encoding/json"
	"io"
	"os"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/internal/progress"
	"github.com/hmdsefi/faultline/internal/rerun"
)

// isolation runs the seeds of a Run in processes of their own, several at once, and hands them over in order.
//
// A process that has something to leave behind (a failure, an artifact) waits for its turn, so that what is left behind is that
// of a run without isolation: nothing of the seeds after the one that ends the loop.
type isolation struct {
	quit    chan struct{}
	started chan isolated // in the order of seeds
	bar     *progress.Bar
}

// isolated is a seed whose process was started, or could not be.
type isolated struct {
	process *rerun.Process
	err     error
}

// turn is what a process hears when all seeds before its own are done.
type turn struct {
	Confirmed firstSeeds
}

// isolate starts the processes of the seeds, as many at once as there are processors.
func (r *runner) isolate() *isolation {
	const ahead = 16 // processes per processor that may have ended before their turn
	p := &isolation{
		quit:    make(chan struct{}),
		started: make(chan isolated, ahead*r.processors),
		bar:     seedBar(len(r.plan.seeds)),
	}
	go r.startAll(p)
	return p
}

// seedBar is a bar for a person who sees nothing else: go test -v has a line for each seed.
func seedBar(seeds int) *progress.Bar {
	if testing.Verbose() {
		return nil
	}
	return progress.New(os.Stderr, seeds, "seeds", "failed")
}

func (r *runner) startAll(p *isolation) {
	defer close(p.started)
	slots := make(chan struct{}, r.processors)
	for i := range r.plan.seeds {
		select {
		case slots <- struct{}{}:
		case <-p.quit:
			return
		}
		s := r.seedRun(i)
		process, err := s.startIsolated()
		go func() {
			if err == nil {
				process.Wait()
			}
			<-slots
		}()
		select {
		case p.started <- isolated{process, err}:
		case <-p.quit:
			if err == nil {
				process.Remove()
			}
			return
		}
	}
}

// coverFlag names a directory in which package testing sums up the counters of all processes.
const coverFlag = "test.gocoverdir"

func (s *seedRun) startIsolated() (*rerun.Process, error) {
	limit, _ := timeLeft(s.t)
	artifacts := s.root
	if artifacts == "" {
		artifacts = artifact.Off
	}
	return s.start(toIsolate, rerun.Command{
		Verbose: testing.Verbose(),
		Flags:   []string{coverFlag},
		Inputs:  rerun.Cached(),
		Timeout: limit,
		Env:     map[string]string{envArtifacts: artifacts},
	})
}

// close ends the processes that are left.
func (p *isolation) close() {
	close(p.quit)
	for i := range p.started {
		if i.err == nil {
			i.process.Remove()
		}
	}
	p.bar.Clear()
}

// adopt makes what became of the seed in its process the outcome of the subtest.
func (s *seedRun) adopt(t *testing.T) {
	next := <-s.isolation.started
	if next.err != nil {
		s.setup = setupf("a process for seed %s: %v", formatSeed(s.seed), next.err)
		t.Fail()
		return
	}
	defer next.process.Remove()
	words, _ := json.Marshal(turn{s.confirmed})
	next.process.Tell(string(words))
	e, err := end(next.process)
	if err != nil {
		s.setup = setupf("the process of seed %s: %v", formatSeed(s.seed), err)
		t.Fail()
		return
	}
	next.process.NoteInputs()
	s.isolation.bar.Clear()
	defer func() { s.isolation.bar.Add(t.Failed()) }()
	s.conclude(t, e)
}

// conclude reports the seed of a process that has ended.
func (s *seedRun) conclude(t *testing.T, e ending) {
	line := e.line
	if e.died() {
		f := deathOf(e.Exit)
		s.report(t.Output(), &outcome{failure: f, stop: "death", stall: e.stall(f), exact: s.exact || s.opts.Mode == ModeEvent})
		t.Fail()
		return
	}
	if line.Kind == KindSetup {
		s.setup = setupf("%s", line.Message)
		t.Fail()
		return
	}
	io.WriteString(os.Stdout, rerun.Marked(e.Stdout))
	io.WriteString(os.Stderr, rerun.Marked(e.Stderr))
	io.WriteString(t.Output(), e.log)
	line.Index = s.index
	s.record(*line)
	switch line.Status {
	case statusFail:
		s.confirmed.add(line.Signature, s.seed)
		t.Fail()
	case statusSkip:
		t.SkipNow()
	}
}

// stall is the content of stall.txt, if there should be one.
func (e ending) stall(f *failure) string {
	if f.kind == KindStall {
		return rerun.Unmarked(e.Stderr)
	}
	return ""
}

// awaitTurn waits until the seeds before this one are done, if it has anything to
// leave behind.
func (s *seedRun) awaitTurn(o *outcome) {
	if !s.task.is(toIsolate) || !s.leavesArtifact(o) && o.failure == nil {
		return
	}
	var mine turn
	if err := json.Unmarshal([]byte(rerun.Await()), &mine); err != nil {
		panic("faultline: the word of the process that started this one: " + err.Error())
	}
	s.confirmed = mine.Confirmed
}
