// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// goals are states that a test hopes to reach: how often each was, by name.
type goals map[string]int

// Sometimes declares a state of the system under test that at least one seed must
// reach, such as a follower that catches up from a snapshot: [World.Reached] says
// that it has. If all seeds of a derived list have run and none reached it, the test
// fails and names it. The seeds that a variable asks for, and the few of go test
// -short, need not reach anything.
func (w *World) Sometimes(name string) {
	if name == "" {
		panic(setupf("World.Sometimes was given an empty name"))
	}
	if w.a.goals.count(name, 0) {
		panic(setupf("there are two goals %q; each needs a name of its own, and is declared once, in the body: "+
			"where the run reaches it, call World.Reached", name))
	}
}

// Reached notes that the run is in the state of that name. The results line of the
// seed has the counts of all names, also of those that Sometimes has not declared.
// Any goroutine of the attempt may call it.
func (w *World) Reached(name string) { w.a.goals.count(name, 1) }

// goalCounter is the goals of an attempt.
type goalCounter struct {
	mu   sync.Mutex
	seen goals
}

// count adds to a count and reports whether there was one before.
func (c *goalCounter) count(name string, times int) (known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = goals{}
	}
	n, known := c.seen[name]
	c.seen[name] = n + times
	return known
}

// add counts in another run.
func (g goals) add(o goals) {
	for name, n := range o {
		g[name] += n
	}
}

// missed returns the names that no run has reached, in order.
func (g goals) missed() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(g)), func(name string) bool { return g[name] > 0 })
}

// checkGoals fails the test for goals that all its seeds have missed.
func (r *runner) checkGoals() {
	r.t.Helper()
	missed := r.goals.missed()
	if len(missed) == 0 {
		return
	}
	for i, name := range missed {
		missed[i] = fmt.Sprintf("%q", name)
	}
	text := fmt.Sprintf("faultline: %s never reached %s", count(len(r.plan.seeds), "seed"), strings.Join(missed, ", "))
	if r.plan.derived && !testing.Short() {
		r.t.Error(text)
	} else {
		r.t.Log(text)
	}
}
