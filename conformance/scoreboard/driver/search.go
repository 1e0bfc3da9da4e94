// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sched"
)

// settle is the virtual time that a kernel gets. The longest that one waits for by itself is two seconds.
const settle = time.Minute

// WarmUp is the seed of the run before the first: what happens once in a process happens in it, and it tells how many decisions a run
// makes, which PCT wants to know.
const WarmUp = -1

func (j *job) search(t *testing.T) {
	length := j.seed(t, WarmUp, "", 0).Decisions
	for seed := j.From; seed < j.From+j.Count; seed++ {
		if j.seed(t, seed, j.Strategy, length).Hit {
			return
		}
	}
}

// seed runs the kernel once, in a bubble of its own. What it leaves behind stays in the process.
func (j *job) seed(t *testing.T, seed int, strategy string, length uint64) Report {
	send(Report{Seed: seed})
	*j.instance = max(seed, 0)
	var left []goroutine
	out := sched.Bubble(t, sched.Config{Exact: true, Seed: uint64(seed), Strategy: strategy, Length: length}, func(*testing.T) {
		j.entry()
		time.Sleep(settle)
		left = stuck(othersInBubble())
	})
	r := Report{Seed: seed, Done: true, Stuck: names(left), Exact: out.Exact, Hash: out.Hash, Points: out.Points, Decisions: out.Decisions}
	if out.Deadlock != nil {
		r.Deadlock = fmt.Sprint(out.Deadlock)
		r.Hit = j.hit(left)
	}
	send(r)
	return r
}

func names(list []goroutine) []string {
	var names []string
	for _, g := range list {
		names = append(names, g.String())
	}
	slices.Sort(names)
	return names
}
