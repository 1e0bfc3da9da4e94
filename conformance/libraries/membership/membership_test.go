// SPDX-License-Identifier: MPL-2.0

package membership_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/conformance/libraries/onpurpose"
	"github.com/hmdsefi/faultline/sim/fault"
)

const (
	servers  = 5
	duration = 5 * time.Minute

	// recovery is how long it takes until the last member knows what has become of the last other one. A member that reaches nobody
	// slows down to a probe in 8 s; it may be through with the others twice before it comes to the one in question; then it leaves it 24 s to
	// refute.
	recovery = 2*(servers-1)*8*time.Second + 24*time.Second + 12*time.Second
)

var options = faultline.Options{Mode: faultline.ModeGoroutine, Seeds: 5, Duration: duration}

// TestMembership runs five members through crashes, pauses and partitions. In the last part all of them are mended, or only three
// or four, drawn from the seed.
func TestMembership(t *testing.T) {
	faultline.Run(t, options, func(w *faultline.World) {
		cluster(w, false)
		w.Plan(fault.Random{
			Core:     3 + w.Rand("core").IntN(3),
			Recovery: recovery,
			Rules: []fault.Rule{
				{Kind: fault.KindCrash, Every: 20 * time.Second, MinFor: time.Second, MaxFor: 45 * time.Second},
				{Kind: fault.KindPause, Every: 30 * time.Second, MinFor: time.Second, MaxFor: 20 * time.Second},
				{Kind: fault.KindPartition, Every: 60 * time.Second, MinFor: time.Second, MaxFor: 45 * time.Second},
				{Kind: fault.KindLink, Every: 30 * time.Second, MinFor: time.Second, MaxFor: 20 * time.Second},
			},
		})
	})
}

// TestMembershipJoinOnce has members that join when they boot, and never again: no partition that outlasts the suspicions heals.
func TestMembershipJoinOnce(t *testing.T) {
	onpurpose.Skip(t)
	faultline.Run(t, options, func(w *faultline.World) {
		cluster(w, true)
		halves := [][]string{{"n1", "n2"}, {"n3", "n4", "n5"}}
		w.Plan(fault.Script(fault.Event{At: 10 * time.Second, For: 90 * time.Second, Kind: fault.KindPartition, Groups: halves}))
	})
}

func TestJoinOnceIsFound(t *testing.T) {
	onpurpose.Found(t, "TestMembershipJoinOnce", "final:all that are up see exactly each other")
}

// cluster is five members, and what must hold of what they see.
func cluster(w *faultline.World, joinOnce bool) {
	seen := newViews(w)
	var names []string
	for i := range servers {
		names = append(names, fmt.Sprint("n", i+1))
	}
	for _, name := range names {
		seen.nodes = append(seen.nodes, w.AddProcess(name, func(ctx context.Context, p *faultline.Process) error {
			return (&member{p: p, names: names, joinOnce: joinOnce}).run(ctx, seen)
		}))
	}
	w.Invariant("no two take one for dead that is well", seen.watch)
	w.Final("all that are up see exactly each other", seen.complete)
}
