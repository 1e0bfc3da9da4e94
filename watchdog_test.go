// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A stall is a number of ticks in a row without progress, not an age: the ticks that a stopped process missed do not count.
func TestWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var progress atomic.Uint64
		var stalled atomic.Bool
		w := &watchdog{quit: make(chan struct{}), gone: make(chan struct{})}
		ticks := make(chan time.Time)
		go w.loop(&progress, ticks, func() { stalled.Store(true) })
		tick := func(n int) {
			for range n {
				ticks <- time.Now()
				time.Sleep(time.Hour)
			}
		}
		tick(stallTicks - 1)
		progress.Add(1)
		tick(stallTicks)
		if stalled.Load() {
			t.Fatal("stalled after progress")
		}
		tick(1)
		if !stalled.Load() {
			t.Fatal("not stalled without progress")
		}
		w.stop()
	})
}

func TestWatchdogStops(t *testing.T) {
	var progress atomic.Uint64
	w := watch(&progress, time.Hour, func() { t.Error("stalled") })
	w.stop()
}
