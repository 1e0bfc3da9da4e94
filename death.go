// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hmdsefi/faultline/internal/rerun"
)

// deaths are the first lines of what the Go runtime and the race detector write on
// standard error before a process ends, the strongest first.
var deaths = []struct {
	line  *regexp.Regexp
	judge func(message, rest string) *failure
}{
	{regexp.MustCompile(`(?m)^panic: (test timed out after .*)`), timedOut},
	{regexp.MustCompile(`(?m)^panic: (.*)`), crashed},
	{regexp.MustCompile(`(?m)^(fatal error: .*)`), crashed},
	{regexp.MustCompile(`(?m)^(WARNING: DATA RACE)`), raced},
}

// deathOf tells from its output why the process of a seed ended before it had
// reported.
func deathOf(e rerun.Exit) *failure {
	f := &failure{kind: KindFail, check: "the process"}
	f.message = fmt.Sprintf("it ended with %s before the run was over", e.State)
	said := rerun.Marked(e.Stdout) + rerun.Marked(e.Stderr)
	if said == "" { // it ended before its seed began
		said = rerun.Unmarked(e.Stdout + e.Stderr)
	}
	if tail := lastLines(said, 20); tail != "" {
		f.message += "; its last output:\n" + tail
	}
	for _, d := range deaths {
		if at := d.line.FindStringSubmatchIndex(e.Stderr); at != nil {
			f = d.judge(e.Stderr[at[2]:at[3]], e.Stderr[at[1]:])
			break
		}
	}
	f.err = &death{f.message, e}
	return f
}

func crashed(message, rest string) *failure {
	stack := firstGoroutine(rest)
	message, _, _ = strings.Cut(message, " [recovered")
	for _, g := range parseGoroutines(stack) {
		if g.process != "" {
			message = g.process + ": " + message
		}
	}
	site, at := panicSite(stack)
	return &failure{kind: KindPanic, check: site, message: message, stack: stack, place: at}
}

func timedOut(_, rest string) *failure {
	return &failure{kind: KindStall, check: "run", message: "the run was still going on when -test.timeout came near"}
}

func raced(_, rest string) *failure {
	report, _, _ := strings.Cut(rest, "\n=====")
	return &failure{kind: KindFail, check: checkRace, message: "the race detector found a data race in the process of this seed:" + report}
}

// firstGoroutine returns the first stack of a crash, which is the one of the goroutine that crashed.
func firstGoroutine(text string) string {
	_, stack, found := strings.Cut(text, "\ngoroutine ")
	if !found {
		return ""
	}
	stack, _, _ = strings.Cut(stack, "\n\n")
	return "goroutine " + stack
}

// lastLines returns at most the last n lines.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// died reports whether a process ended otherwise than after its tests: before it had reported its seed, in a crash after that, or
// with a data race, which package testing turns into a failed test in its own time. What a test does after Run has returned is no
// matter of the seed.
func (e ending) died() bool {
	const crash = 2 // the status with which the runtime ends a process
	switch {
	case e.line == nil:
		return true
	case e.line.Status == statusFail:
		return false
	}
	return e.Code < 0 || e.Code == crash || e.Code != 0 && strings.Contains(e.Stderr, "WARNING: DATA RACE")
}

// death is the error of a failure that a process died of. The process's output goes into the artifact.
type death struct {
	message string
	exit    rerun.Exit
}

func (d *death) Error() string { return d.message }

// ArtifactFiles returns the output of the process, whole.
func (d *death) ArtifactFiles() map[string][]byte {
	return map[string][]byte{"stdout.txt": []byte(rerun.Unmarked(d.exit.Stdout)), "stderr.txt": []byte(rerun.Unmarked(d.exit.Stderr))}
}
