// SPDX-License-Identifier: MPL-2.0

package kernel_test

import (
	"testing"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// job is something that a node was asked to do at an instant.
type job struct {
	inc       int
	due       kernel.Time
	ran       bool
	cancelled bool
}

// TestLifeProperties runs random lives and checks of everything that nodes had to
// do: it ran at most once, on an up node, in its own incarnation, not before it
// was due and in the order of the due times, as far as nobody cancelled it; and
// what did not run was due in a life that a crash cut short.
func TestLifeProperties(t *testing.T) {
	for seed := range uint64(200) {
		s := kernel.New(kernel.Config{Seed: seed})
		n := s.AddNode("n1", nil)
		s.Start()
		s.RunUntil(0)
		r := s.Rand("workload/life")
		var (
			jobs    []*job
			timers  []kernel.Timer
			timed   []*job
			lastDue kernel.Time
			crashed = map[int]bool{} // incarnations
		)
		add := func(due kernel.Time) (*job, func()) {
			j := &job{inc: n.Inc(), due: due}
			jobs = append(jobs, j)
			return j, func() {
				switch {
				case j.ran || j.cancelled:
					t.Fatalf("seed %d: %+v runs again or although cancelled", seed, *j)
				case n.State() != kernel.Up || n.Inc() != j.inc:
					t.Fatalf("seed %d: %+v runs on a node that is %v in incarnation %d", seed, *j, n.State(), n.Inc())
				case s.Now() < j.due || lastDue > j.due:
					t.Fatalf("seed %d: %+v runs at %v, after one due at %v", seed, *j, s.Now(), lastDue)
				}
				j.ran, lastDue = true, j.due
			}
		}
		acts := []func(){
			func() { n.Pause() },
			func() { n.Resume() },
			func() { n.Resume() },
			func() {
				if n.Crash() {
					crashed[n.Inc()] = true
				}
			},
			func() { n.Restart() },
			func() { n.Restart() },
			func() {
				if i := int(kernel.Uniform(r, 0, int64(len(timers)))) - 1; i >= 0 && n.Cancel(timers[i]) {
					timed[i].cancelled = true
				}
			},
			func() {
				if n.State() != kernel.Down {
					_, fn := add(s.Now())
					n.Do(n.Inc(), fn)
				}
			},
			func() {
				if n.State() != kernel.Down {
					d := kernel.UniformDuration(r, 0, 30)
					j, fn := add(s.Now().Add(d))
					timers, timed = append(timers, n.After(d, fn)), append(timed, j)
				}
			},
		}
		for i := range kernel.Time(500) {
			s.At(i*2, func() { acts[kernel.Uniform(r, 0, int64(len(acts)-1))]() })
		}
		s.Run()
		n.Resume()
		n.Restart()
		s.Run()
		for _, j := range jobs {
			if !j.ran && !j.cancelled && !crashed[j.inc] {
				t.Fatalf("seed %d: %+v never ran, although incarnation %d lived on", seed, *j, j.inc)
			}
		}
	}
}
