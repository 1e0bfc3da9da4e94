// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/internal/rerun"
	"github.com/hmdsefi/faultline/sched"
	"github.com/hmdsefi/faultline/sim/fault"
)

// Run runs body once for each seed, each as a subtest named seed=0x and 16
// hexadecimal digits, and fails t if a seed fails. The first failing seed ends the
// loop unless Options.KeepGoing is set.
//
// body builds a [World] and everything in it anew each time: a failing seed runs
// twice, and every other state that outlives an attempt is a difference between the
// two. Before a failing seed is reported the test binary starts itself to see whether
// it fails in a fresh process too, so the test, and TestMain, run there as well, for this seed alone. In an exact goroutine-mode test body runs once more, unreported and with a seed of
// its own, before all seeds.
//
// Run fails t at once if an option or a FAULTLINE_ variable is not valid, if body is
// nil, or if t has been given to Run before. It must be called on the goroutine of
// t. Only one Run in goroutine mode can be going on in a test binary, and such a test
// cannot use t.Parallel; nor can one whose crypto/rand is seeded.
func Run(t *testing.T, opts Options, body func(w *World)) {
	t.Helper()
	asked := readTask()
	if asked != nil && asked.Test != t.Name() {
		t.Skipf("faultline: this process runs a seed of %s", asked.Test)
	}
	if pin := pinOf(t.Name()); pin != nil && pin.name != t.Name() {
		t.Skipf("faultline: pinned to a seed of %s", pin.name)
	}
	r := newRunner(t, body)
	r.task, r.place = asked, callerPlace()
	release, err := r.prepare(opts)
	defer release()
	defer r.writeSummary()
	if err != nil {
		r.failSetup(err)
		return
	}
	r.loop()
}

// runner is one call of Run.
type runner struct {
	t        *testing.T
	body     func(*World)
	opts     Options
	env      settings
	origin   origin
	place    place // of the call
	plan     seedPlan
	schedule *fault.Schedule
	length   uint64 // decisions of the warm-up run, which are about those of any
	results  resultsFile
	exact    bool   // seeds run under the seam
	root     string // of artifacts; empty if they are off

	task       *task      // of this process; nil for a Run that the user has started
	isolation  *isolation // the processes of the seeds; nil if they run in this one
	processors int        // for them

	temp       func() string // a directory of the whole Run, made when needed
	signatures map[string]int
	confirmed  firstSeeds
	failures   []failedSeed
	goals      goals // of all seeds so far
	progress   atomic.Uint64
}

func newRunner(t *testing.T, body func(*World)) *runner {
	return &runner{
		t: t, body: body, origin: readOrigin(), temp: sync.OnceValue(t.TempDir), processors: runtime.GOMAXPROCS(0),
		signatures: make(map[string]int), confirmed: make(firstSeeds), goals: make(goals),
	}
}

// Tests that have called Run, and whether one in goroutine mode is running.
var (
	usedTests     sync.Map
	goroutineMode atomic.Bool
)

// prepare checks everything that can be wrong before the first seed. release must be
// called in any case.
func (r *runner) prepare(opts Options) (release func(), err error) {
	release = func() { r.results.close() }
	var envErr error
	r.env, envErr = readSettings(os.Getenv)
	if pin := pinOf(r.t.Name()); pin != nil {
		pin.used = true
		r.env.pin(pin)
	}
	results, resultsErr := r.openResults()
	r.results = results
	if resultsErr != nil {
		resultsErr = fmt.Errorf("%s: %w; it accepts the path of a file that can be written", envResults, resultsErr)
	}
	err = errors.Join(envErr, resultsErr, opts.validate(), r.checkCall(), r.readSchedule())
	if err != nil {
		return release, err
	}
	r.opts = r.env.apply(opts).withDefaults()
	r.exact = r.opts.Mode == ModeGoroutine && sched.Available() && r.opts.Procs == 1
	r.root = artifact.Root(r.env.artifacts)
	r.usePin()
	if err := errors.Join(r.checkExact(), r.checkParallel()); err != nil {
		return release, err
	}
	r.plan = planSeeds(r.t.Name(), r.opts, r.env, testing.Short())
	if r.task != nil {
		r.plan = r.task.plan(r.plan.seeds[0])
	}
	if r.opts.Mode == ModeEvent || r.opts.Isolate {
		return release, nil
	}
	if !goroutineMode.CompareAndSwap(false, true) {
		return release, errors.New("another Run in goroutine mode is going on in this test binary; only one can")
	}
	r.temp() // now, since its name must not come from the random numbers of a run
	procs := runtime.GOMAXPROCS(r.opts.Procs)
	restoreLabels := printLabels()
	return func() {
		restoreLabels()
		runtime.GOMAXPROCS(procs)
		goroutineMode.Store(false)
		r.results.close()
	}, nil
}

func (r *runner) openResults() (resultsFile, error) {
	if r.task != nil {
		return r.task.open()
	}
	return openResults(r.env.results)
}

// apply lets the environment overrule options.
func (s settings) apply(o Options) Options {
	o.CheckDeterminism = on(s.check, o.CheckDeterminism)
	o.Isolate = on(s.isolate, o.Isolate && o.Mode == ModeGoroutine)
	if s.trace != nil {
		o.Trace = *s.trace
	}
	return o
}

func (r *runner) checkCall() error {
	if r.body == nil {
		return errors.New("Run was given a nil body; it needs a function that builds the world")
	}
	if _, used := usedTests.LoadOrStore(r.t, true); used {
		return errors.New("Run was called twice with one t; give each call a subtest of its own")
	}
	r.t.Cleanup(func() { usedTests.Delete(r.t) })
	return nil
}

func (r *runner) readSchedule() error {
	if r.env.schedule == "" {
		return nil
	}
	s, err := loadSchedule(r.env.schedule)
	if err != nil {
		return fmt.Errorf("%s: %w", envSchedule, err)
	}
	r.schedule = s
	return nil
}

func loadSchedule(path string) (*fault.Schedule, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return fault.ReadSchedule(f)
}

// checkExact checks what only an exact run can do.
func (r *runner) checkExact() error {
	if r.env.follow != nil && !r.exact {
		return r.inexact(envDecisions + " is set")
	}
	if on(r.env.exact, false) && r.opts.Mode == ModeGoroutine && !r.exact {
		return r.inexact(envExact + "=1")
	}
	return nil
}

// inexact says why the test does not run exactly, which something asks for.
func (r *runner) inexact(asks string) error {
	switch {
	case r.opts.Mode == ModeEvent:
		return fmt.Errorf("%s, but the test is in event mode, which has no goroutines to decide over", asks)
	case !sched.Available():
		return fmt.Errorf("%s, but this test binary was not built through faultline-toolexec; run: go tool faultline-toolexec test", asks)
	}
	return fmt.Errorf("%s, but Options.Procs is %d; an exact run needs 1", asks, r.opts.Procs)
}

// checkParallel makes sure that t is not parallel and will not be, where a run changes
// something of the whole process.
func (r *runner) checkParallel() (err error) {
	if r.opts.Mode == ModeEvent && r.opts.NoCryptoSeed {
		return nil
	}
	defer func() {
		if recover() == nil {
			return
		}
		if r.opts.Mode == ModeGoroutine {
			err = errors.New("the test has called t.Parallel; a test in goroutine mode must not")
		} else {
			err = errors.New("the test has called t.Parallel, which rules out a seeded crypto/rand; set Options.NoCryptoSeed, or leave t.Parallel out")
		}
	}()
	// Setenv panics in a parallel test, and a later t.Parallel will panic.
	r.t.Setenv(envRunning, r.t.Name())
	return nil
}

// failSetup reports an error that keeps every seed from running.
func (r *runner) failSetup(err error) {
	r.t.Helper()
	f := &failure{kind: KindSetup, check: "Run", message: err.Error()}
	line := r.newResult(-1)
	line.setFailure(f)
	line.At = ""
	r.writeResult(line)
	r.failures = append(r.failures, failedSeed{line: line})
	if r.task == nil {
		r.annotate(f, r.t.Name(), "")
	}
	r.t.Fatalf("faultline: cannot run: %v", err)
}

func (r *runner) loop() {
	r.t.Helper()
	r.announce()
	switch {
	case r.opts.Isolate:
		r.isolation = r.isolate()
		defer r.isolation.close()
	case r.exact:
		r.warmUp()
	}
	for i := range r.plan.seeds {
		s := r.seedRun(i)
		passed := s.run()
		if s.setup != nil {
			r.failSetup(s.setup)
			return
		}
		if !passed && !r.opts.KeepGoing && !r.plan.all {
			r.announceStop(i)
			return
		}
	}
	r.summarize()
	r.checkGoals()
}

// warmUpSeed is the seed of every warm-up run. It is one for all, since what the warm-up leaves behind (lazily made maps and
// pools, caches) may depend on the seed, and must be the same before the seed of a list and before its replay.
const warmUpSeed = 0

// warmUp runs a seed once for nothing: what the first run of a process sets up
// lazily is there for the first reported one too.
func (r *runner) warmUp() {
	s := &seedRun{runner: r, seed: warmUpSeed, begin: time.Now()}
	fmt.Fprintf(os.Stderr, "faultline: warming up, replay: %s\n", s.replay())
	w := watch(&r.progress, r.opts.StallTimeout, s.stalled)
	defer w.stop()
	o := s.again(r.t, spec{warmUp: true})
	r.length = o.decisions
	if o.raced() {
		r.t.Logf("faultline: the data race was found in the warm-up run; replay: %s", s.replay())
	}
}

// attempt runs the body once. It fills in what all attempts have in common.
func (r *runner) attempt(t *testing.T, s spec) *outcome {
	s.test, s.body, s.opts, s.exact = r.logged(t), r.body, r.opts, r.exact
	s.temp, s.length = r.temp, r.length
	if !s.warmUp { // which must be the same before a list, a seed and a replay
		s.schedule, s.follow = r.schedule, r.env.follow
	}
	if !s.opts.NoCryptoSeed && !s.exact {
		cryptotest.SetGlobalRandom(t, s.seed)
	}
	a := newAttempt(s, &r.progress)
	if s.opts.Mode == ModeGoroutine {
		a.runGoroutine(t)
	} else {
		a.runEvent(t)
	}
	return a.outcome()
}

// logged returns t with the log that the task wants.
func (r *runner) logged(t *testing.T) testing.TB {
	if r.task == nil {
		return t
	}
	return loggedTB{t, r.task.log}
}

// seedRun is the subtest of one seed.
type seedRun struct {
	*runner
	index    int // in the list of the Run that the user has started
	seed     uint64
	begin    time.Time
	attempts int
	setup    error // ends the whole Run
}

// seedRun returns the i-th seed of the plan.
func (r *runner) seedRun(i int) *seedRun {
	return &seedRun{runner: r, index: r.plan.first + i, seed: r.plan.seeds[i]}
}

// run runs the seed's subtest and reports whether it passed.
func (s *seedRun) run() bool {
	return s.t.Run(s.name(), s.subtest)
}

// name is the name of the seed's subtest.
func (s *seedRun) name() string { return "seed=" + formatSeed(s.seed) }

func (s *seedRun) subtest(t *testing.T) {
	s.begin = time.Now()
	if s.isolation != nil {
		s.adopt(t)
		return
	}
	if s.opts.Mode == ModeGoroutine {
		fmt.Fprintf(os.Stderr, "faultline: running seed %s, replay: %s\n", formatSeed(s.seed), s.replay())
	}
	if s.task != nil {
		rerun.Mark()
		defer rerun.Mark()
	}
	o := s.watched(t)
	if o.setup != nil {
		s.setup = o.setup
		t.Fail()
		return
	}
	s.report(s.logged(t).Output(), o)
	if o.failure != nil {
		t.Fail()
	}
	if o.skip {
		t.SkipNow()
	}
}

// watched is judge under the eyes of the watchdog, which goroutine mode needs.
func (s *seedRun) watched(t *testing.T) *outcome {
	if s.opts.Mode == ModeGoroutine {
		w := watch(&s.progress, s.opts.StallTimeout, s.stalled)
		defer w.stop()
	}
	return s.judge(t)
}

// judge runs the seed as often as it takes to know what became of it.
func (s *seedRun) judge(t *testing.T) *outcome {
	first := s.again(t, spec{live: true, record: s.opts.Trace == TraceFull})
	failing := first.failure != nil && !s.task.is(toConfirm)
	if first.setup != nil || first.skip || !failing && !s.opts.CheckDeterminism {
		return first
	}
	second := s.again(t, spec{record: true, decisions: first.decisions})
	if first.raced() { // the detector reports a race once in a process
		second.failure = first.failure
		return second
	}
	if second.setup != nil || sameRun(first, second) {
		return second
	}
	recorded := first
	if s.opts.Trace != TraceFull {
		recorded = s.again(t, spec{record: true, decisions: first.decisions})
	}
	second.failure = determinismFailure(first, recorded, second, s.likelyCauses())
	return second
}

func (s *seedRun) again(t *testing.T, how spec) *outcome {
	s.attempts++
	how.seed = s.seed
	return s.attempt(t, how)
}

// replay returns the command that runs this seed again.
func (s *seedRun) replay() string {
	words := []string{envSeed + "=" + formatSeed(s.seed)}
	if on(s.env.check, false) {
		words = append(words, envCheck+"=1")
	}
	return s.origin.replayCommand(s.t.Name(), words...)
}
