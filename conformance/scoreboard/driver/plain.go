// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"context"
	"runtime"
	"runtime/pprof"
	"strconv"
	"testing"
	"time"
)

// label is the profiler label that tells the runs of a kernel apart. The goroutines that a run starts inherit it.
const label = "run"

const (
	pace  = 5 * time.Millisecond   // that a run is alone, if it has not ended before
	quiet = 500 * time.Millisecond // in which nothing may change before the goroutines left behind are counted
	limit = 20 * time.Second       // to wait for that
	poll  = 50 * time.Microsecond  // between looks at whether a run has ended
)

// plain runs the kernel as ordinary goroutines on all processors, one run after the other, and counts the runs of which goroutines are
// left behind when all is quiet. It needs GODEBUG=tracebacklabels=1.
func (j *job) plain(t *testing.T) {
	if !seesLabels() {
		t.Fatal("the runtime's dump of goroutines has no profiler labels in the form of Go 1.26 or 1.27")
	}
	send(Report{Seed: j.From})
	for run := j.From; run < j.From+j.Count; run++ {
		j.start(run)
	}
	left := settled()
	hit := map[string]bool{}
	for _, g := range left {
		if g.run != "" && j.hit([]goroutine{g}) {
			hit[g.run] = true
		}
	}
	send(Report{Seed: j.From, Done: true, Hit: len(hit) > 0, Hits: len(hit)})
}

// seesLabels reports whether runs can be told apart.
func seesLabels() (sees bool) {
	pprof.Do(context.Background(), pprof.Labels(label, "0"), func(context.Context) { sees = allGoroutines()[0].run == "0" })
	return sees
}

// start starts a run and waits until it has ended, but not for long: runs may overlap.
func (j *job) start(run int) {
	before := runtime.NumGoroutine()
	*j.instance = run
	started := make(chan struct{})
	go pprof.Do(context.Background(), pprof.Labels(label, strconv.Itoa(run)), func(context.Context) {
		defer close(started)
		j.entry()
	})
	<-started
	for begin := time.Now(); runtime.NumGoroutine() > before && time.Since(begin) < pace; {
		time.Sleep(poll)
	}
}

// settled waits until the goroutines that are stuck are the same for a while and returns them.
func settled() []goroutine {
	last := stuck(allGoroutines())
	for begin := time.Now(); time.Since(begin) < limit; {
		time.Sleep(quiet)
		now := stuck(allGoroutines())
		if same(last, now) {
			return now
		}
		last = now
	}
	return last
}

func same(a, b []goroutine) bool {
	if len(a) != len(b) {
		return false
	}
	ids := map[string]bool{}
	for _, g := range a {
		ids[g.id] = true
	}
	for _, g := range b {
		if !ids[g.id] {
			return false
		}
	}
	return true
}
