// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/gaps"
	"github.com/hmdsefi/faultline/sched"
)

// announce logs which seeds will run and what was ignored.
func (r *runner) announce() {
	r.t.Helper()
	for _, line := range r.env.ignored {
		r.t.Logf("faultline: %s", line)
	}
	if r.opts.Mode == ModeGoroutine && sched.Available() && !r.exact {
		r.t.Logf("faultline: Options.Procs is %d, so seeds replay on a best-effort basis", r.opts.Procs)
	}
	n := len(r.plan.seeds)
	if !r.plan.derived {
		r.t.Logf("faultline: running %s from %s", count(n, "seed"), r.plan.source)
		return
	}
	r.t.Logf("faultline: running %s from base %s (%s)", count(n, "seed"), formatSeed(r.plan.base), r.plan.source)
	if r.plan.explored {
		r.t.Logf("faultline: to run these seeds again: %s", r.origin.replayCommand(r.t.Name(),
			envBase+"="+formatSeed(r.plan.base), fmt.Sprintf("%s=%d", envSeeds, n)))
	}
}

func (r *runner) announceStop(i int) {
	r.t.Helper()
	n := len(r.plan.seeds)
	if rest := n - i - 1; rest > 0 {
		r.t.Logf("faultline: seed %s failed, so %d of %d seeds were not run; Options.KeepGoing runs them all",
			formatSeed(r.plan.seeds[i]), rest, n)
	}
}

// summarize logs how many seeds failed, and of what, if all of them were run.
func (r *runner) summarize() {
	r.t.Helper()
	if len(r.plan.seeds) == 1 || len(r.signatures) == 0 {
		return
	}
	failed := 0
	var lines strings.Builder
	for _, signature := range slices.Sorted(maps.Keys(r.signatures)) {
		n := r.signatures[signature]
		failed += n
		fmt.Fprintf(&lines, "\n  %d times %s", n, signature)
	}
	r.t.Logf("faultline: %d of %d seeds failed%s", failed, len(r.plan.seeds), lines.String())
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// report tells the log of the seed's subtest, the results file and the artifact
// directory what became of the seed. It does not end or fail the subtest.
func (s *seedRun) report(log io.Writer, o *outcome) {
	line := s.line(o)
	line.WallNS = int64(time.Since(s.begin))
	s.awaitTurn(o)
	s.confirm(o, line)
	dir, err := s.writeArtifact(o)
	line.Artifact = dir
	if err != nil {
		line.ArtifactError = err.Error()
	}
	if o.failure != nil {
		io.WriteString(log, s.console(o, dir, err))
		s.annotateFailure(o.failure)
	} else {
		io.WriteString(log, warnings(o, dir))
	}
	if s.task.is(toConfirm) {
		line.Message = s.portableMessage(line.Message)
	}
	s.record(line)
}

// record adds a seed to what the Run knows of its seeds, and to the results file.
func (s *seedRun) record(line result) {
	if line.Status == statusFail {
		s.signatures[line.Signature]++
		if len(s.failures) < summaryRows {
			s.failures = append(s.failures, failedSeed{line, s.replay()})
		}
	}
	s.goals.add(line.Reached)
	s.writeResult(line)
}

// annotateFailure tells GitHub Actions of the seed, unless another process does.
func (s *seedRun) annotateFailure(f *failure) {
	if !s.task.is(toConfirm) {
		s.annotate(f, s.t.Name()+"/"+s.name(), s.replay())
	}
}

// line is the results line of the seed, but for the artifact.
func (s *seedRun) line(o *outcome) result {
	line := s.newResult(s.index)
	line.Seed = formatSeed(s.seed)
	line.Events = o.events
	line.Reached = o.goals
	if o.hash != 0 {
		line.TraceHash = artifact.Hex64(o.hash).String()
	}
	line.DeterminismLevel, line.ExactBackend = s.level(o)
	switch {
	case o.failure != nil:
		line.setFailure(o.failure)
	case o.skip:
		line.Status, line.Message = statusSkip, o.skipped
	default:
		line.Status = statusPass
	}
	return line
}

// warnings says what a seed that did not fail has to tell.
func warnings(o *outcome, dir string) string {
	var b strings.Builder
	for _, w := range o.warnings {
		writeIndented(&b, "", "faultline: "+w)
	}
	if o.followed != "" {
		fmt.Fprintf(&b, "decisions: %s\n", o.followed)
	}
	if dir != "" {
		fmt.Fprintf(&b, "artifacts: %s/\n", dir)
	}
	return b.String()
}

func (r *runner) newResult(index int) result {
	return result{Version: resultVersion, Package: r.origin.pkg, Test: r.t.Name(), Index: index}
}

func (r *runner) writeResult(line result) {
	if err := r.results.write(line); err != nil {
		r.t.Errorf("faultline: cannot write a line to %s: %v", envResults, err)
	}
}

// level says how exactly the seed replays and what makes it so.
func (r *runner) level(o *outcome) (level, backend string) {
	switch {
	case !o.exact:
		return artifact.BestEffort, ""
	case r.opts.Mode == ModeGoroutine:
		return artifact.Exact, exactBackend
	}
	return artifact.Exact, ""
}

const exactBackend = "toolexec"

// console is the block that a failing seed prints.
func (s *seedRun) console(o *outcome, dir string, artifactErr error) string {
	var b strings.Builder
	f := o.failure
	fmt.Fprintf(&b, "faultline: %s\n", f.headline())
	writeIndented(&b, "  ", f.message)
	if f.stack != "" {
		writeIndented(&b, "  ", shortStack(f.stack))
	}
	fmt.Fprintf(&b, "replay:    %s\n", s.replay())
	if o.confirmation != nil {
		writeIndented(&b, "", fmt.Sprintf("fresh run: %v", o.confirmation))
	}
	switch {
	case artifactErr != nil:
		fmt.Fprintf(&b, "artifacts: not written: %v\n", artifactErr)
	case dir != "":
		fmt.Fprintf(&b, "artifacts: %s/\n", dir)
	}
	if s.opts.Mode == ModeGoroutine {
		fmt.Fprintf(&b, "determinism: %s\n", s.determinism(o))
		if n := len(gaps.Open(gaps.Registered())); n > 0 {
			fmt.Fprintf(&b, "gaps: %s that no seed decides in this test binary, see %s\n", count(n, "construct"), artifact.GapsFile)
		}
	}
	if o.followed != "" {
		fmt.Fprintf(&b, "decisions: %s\n", o.followed)
	}
	for _, w := range o.warnings {
		writeIndented(&b, "", "warning: "+w)
	}
	return b.String()
}

func (s *seedRun) determinism(o *outcome) string {
	switch {
	case o.exact:
		return "exact (toolexec backend)"
	case s.exact:
		return "best effort, since the run was woken from outside"
	case sched.Available():
		return fmt.Sprintf("best effort, since Options.Procs is %d", s.opts.Procs)
	}
	return "best effort; for an exact run: " + s.origin.exactCommand(s.t.Name())
}

func writeIndented(b *strings.Builder, indent, text string) {
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if i > 0 && indent == "" {
			b.WriteString("  ")
		}
		b.WriteString(indent + line + "\n")
	}
}
