// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// watchdog watches a run from outside its bubble, in real time.
type watchdog struct{ quit, gone chan struct{} }

// stallTicks is how many ticks without progress make a stall. Time is counted in ticks, which a ticker drops when nobody takes
// them, and not read from a clock: a process that a debugger has stopped for an hour, or a machine that has slept, has lost one tick.
const stallTicks = 20

// watch calls stalled, once and on a goroutine of its own, when progress has not
// changed for the timeout. It must be called outside the bubble.
func watch(progress *atomic.Uint64, timeout time.Duration, stalled func()) *watchdog {
	w := &watchdog{quit: make(chan struct{}), gone: make(chan struct{})}
	go func() {
		ticker := time.NewTicker(max(timeout/stallTicks, 1))
		defer ticker.Stop()
		w.loop(progress, ticker.C, stalled)
	}()
	return w
}

func (w *watchdog) loop(progress *atomic.Uint64, ticks <-chan time.Time, stalled func()) {
	defer close(w.gone)
	seen, idle := progress.Load(), 0
	for idle < stallTicks {
		select {
		case <-w.quit:
			return
		case <-ticks:
		}
		idle++
		if now := progress.Load(); now != seen {
			seen, idle = now, 0
		}
	}
	stalled()
}

// stop ends the watch and waits for its goroutine.
func (w *watchdog) stop() {
	close(w.quit)
	<-w.gone
}

const stallCauses = `Usual causes:
  a goroutine computes, or spins, without ever blocking;
  a goroutine does real I/O (net.Dial, os/exec, a system call) instead of using Process.Net and Process.FS;
  a mutex is held across a blocking call, and another goroutine waits for the mutex;
  a goroutine waits for a channel or a goroutine from outside the run.
`

// stallReport describes the bubbles' goroutines, those that keep time from moving
// first.
func stallReport(timeout time.Duration, dump string) string {
	var busy, waiting []goroutine
	for _, g := range parseGoroutines(dump) {
		switch {
		case g.bubble == "" || g.machinery():
		case g.durable():
			waiting = append(waiting, g)
		default:
			busy = append(busy, g)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "faultline: no progress for %v of real time\n\n%s", timeout, stallCauses)
	describeCrowds(&b, "Goroutines that keep virtual time from moving", busy)
	describeCrowds(&b, "Goroutines that wait", waiting)
	return b.String()
}

// describeCrowds lists where goroutines block and how many in each place, and shows a stack of each.
func describeCrowds(b *strings.Builder, title string, list []goroutine) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s (%d):\n\n", title, len(list))
	groups := crowds(list)
	for _, c := range groups {
		fmt.Fprintf(b, "%6d  %s\n", c.size, c.summary())
	}
	for _, c := range groups {
		fmt.Fprintf(b, "\n%s\n", c.text)
	}
}

// stalled is called by the watchdog: it reports what it can and ends the process,
// because a run that does not move cannot be left.
func (s *seedRun) stalled() {
	text := stallReport(s.opts.StallTimeout, string(allStacks(nil)))
	fmt.Fprintf(os.Stderr, "%s\nseed %s\n", text, formatSeed(s.seed))
	s.report(s.stallLog(), &outcome{
		failure: &failure{kind: KindStall, check: "run", message: fmt.Sprintf("no progress for %v of real time", s.opts.StallTimeout)},
		stop:    "stall",
		stall:   text,
		exact:   s.exact,
	})
	s.writeSummary()
	os.Exit(2)
}

// stallLog is where the report of a stall goes: package testing shows no log of a
// process that ends like this.
func (s *seedRun) stallLog() io.Writer {
	if s.task != nil {
		return s.task.log
	}
	return os.Stderr
}
