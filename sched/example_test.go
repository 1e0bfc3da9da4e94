// SPDX-License-Identifier: MPL-2.0

package sched_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sched"
)

func ExampleBubble() {
	_ = func(t *testing.T) { // an ordinary test function
		var slept time.Duration
		outcome := sched.Bubble(t, sched.Config{Seed: 42, Exact: true}, func(t *testing.T) {
			start := time.Now()
			time.Sleep(time.Hour) // virtual: it takes no time
			slept = time.Since(start)
		})
		if !outcome.Exact {
			fmt.Println("not exact; build with -toolexec=faultline-toolexec. Woken from outside:", outcome.OutsideAt)
		}
		fmt.Println(slept)
	}
}
