// SPDX-License-Identifier: MPL-2.0

package hashiraft_test

import (
	"time"

	"github.com/hmdsefi/faultline/conformance/libraries/hashiraft"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// loyal clients keep asking a leader that was replaced: at each server one that writes and two that read, which do not wait for long, so
// that there is always a new question.
var loyal = func() []habits {
	var list []habits
	for range names {
		list = append(list, habits{only: hashiraft.Put, loyal: true})
	}
	for range 2 * len(names) {
		list = append(list, habits{only: hashiraft.Get, loyal: true, patience: 60 * time.Millisecond})
	}
	return list
}()

// lateAnswers plans what an asynchronous network may do: again and again what the followers send to the leader takes up to three quarters
// of a second, and then nothing of the leader reaches them any more, so that they elect another while answers to the old one are still on
// their way.
type lateAnswers struct{}

// Name implements fault.Planner.
func (lateAnswers) Name() string { return "late-answers" }

// Plan implements fault.Planner.
func (lateAnswers) Plan(c *fault.Control) error {
	for at := time.Second; at+2*time.Second < working; at += 2500 * time.Millisecond {
		var leader, follower [2]string
		for i := range follower {
			c.Wake(at, func() (fault.Event, bool) {
				leaders, followers := c.Nodes("leader"), c.Nodes("follower")
				if len(leaders) != 1 || len(followers) <= i {
					return fault.Event{}, false
				}
				leader[i], follower[i] = leaders[0].Name(), followers[i].Name()
				return fault.Event{
					At: c.Now(), Kind: fault.KindLink, From: follower[i], To: leader[i], For: 1200 * time.Millisecond,
					Link: simnet.LinkConfig{Latency: 50 * time.Millisecond, Jitter: 700 * time.Millisecond},
				}, true
			})
			c.Wake(at+100*time.Millisecond, func() (fault.Event, bool) {
				return fault.Event{At: c.Now(), Kind: fault.KindCut, From: leader[i], To: follower[i], For: time.Second}, leader[i] != ""
			})
		}
	}
	return nil
}
