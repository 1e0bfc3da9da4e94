// SPDX-License-Identifier: MPL-2.0

package ingredients

import (
	"context"
	"errors"
	"sync"
	"time"
)

var timers = []Ingredient{
	{Name: "sleeps that end at one instant", Run: sameInstantSleeps},
	{Name: "AfterFuncs of one instant", Run: sameInstantFuncs},
	{Name: "tickers of one period", Run: tickers},
	{Name: "timer stopped as it fires", Run: stopRace},
	{Name: "timer reset", Run: resetTimers},
	{Name: "context cancelled", Run: cancelTree},
	{Name: "context deadlines of one instant", Run: deadlines},
	{Name: "context.AfterFunc", Run: contextAfterFunc},
	{Name: "timers beside computing", Run: timersBesideComputing},
	{Name: "polling for a deadline", Run: pollForDeadline, NeedsSeam: true},
}

func sameInstantSleeps(l *Log) {
	crowd(12, func(id int) {
		for range 5 {
			time.Sleep(3 * time.Millisecond)
			l.Add(id)
		}
	})
}

func sameInstantFuncs(l *Log) {
	var wg sync.WaitGroup
	for id := range 20 {
		wg.Add(1)
		time.AfterFunc(time.Second, func() {
			defer wg.Done()
			l.Add(id)
		})
	}
	wg.Wait()
}

func tickers(l *Log) {
	crowd(4, func(id int) {
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		for range 8 {
			<-ticker.C
			l.Add(id)
		}
	})
}

func stopRace(l *Log) {
	crowd(8, func(id int) {
		timer := time.NewTimer(time.Millisecond)
		time.Sleep(time.Millisecond)
		stopped := timer.Stop()
		select {
		case <-timer.C:
			l.Add(id, stopped, "fired")
		default:
			l.Add(id, stopped)
		}
	})
}

func resetTimers(l *Log) {
	crowd(6, func(id int) {
		timer := time.NewTimer(time.Hour)
		for i := range 6 {
			timer.Reset(time.Duration(1+(id+i)%2) * time.Millisecond)
			<-timer.C
			l.Add(id, i)
		}
	})
}

func cancelTree(l *Log) {
	root, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(time.Millisecond, func() { cancel(errors.New("over")) })
	crowd(8, func(id int) {
		ctx, stop := context.WithCancel(root)
		defer stop()
		crowd(3, func(child int) {
			leaf, stop := context.WithCancel(ctx)
			defer stop()
			<-leaf.Done()
			l.Add(id, child, context.Cause(leaf))
		})
	})
}

func deadlines(l *Log) {
	crowd(10, func(id int) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
		defer cancel()
		select {
		case <-ctx.Done():
			l.Add(id, ctx.Err())
		case <-time.After(5 * time.Millisecond):
			l.Add(id, "slept")
		}
	})
}

func contextAfterFunc(l *Log) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for id := range 12 {
		wg.Add(1)
		context.AfterFunc(ctx, func() {
			defer wg.Done()
			l.Add(id)
		})
	}
	cancel()
	wg.Wait()
}

// timersBesideComputing sees when timers fire if the clock moves while goroutines compute, and what the clock says.
func timersBesideComputing(l *Log) {
	var mu sync.Mutex
	start := time.Now()
	crowd(3, func(id int) {
		fired := false
		timer := time.AfterFunc(700*time.Nanosecond, func() {
			mu.Lock()
			defer mu.Unlock()
			fired = true
		})
		for i := range 300 {
			mu.Lock()
			seen := fired
			mu.Unlock()
			if seen {
				l.Add(id, i, time.Since(start))
				return
			}
		}
		l.Add(id, timer.Stop(), time.Since(start))
	})
}

// pollForDeadline spins until a time has come, which the clock of a plain bubble never lets happen.
func pollForDeadline(l *Log) {
	timeout := time.After(20 * time.Millisecond)
	turns := 0
	for {
		select {
		case <-timeout:
			l.Add(turns)
			return
		default:
			turns++
		}
	}
}
