// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"context"
	"os"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sched"
)

// deadlocks are process functions that cannot return, by what their goroutines wait for.
var deadlocks = map[string]func(){
	"channel": func() {
		request, answer := make(chan int), make(chan int)
		go func() { answer <- 1 }()
		request <- <-answer
	},
	"select": func() {
		a, b := make(chan int), make(chan int)
		select {
		case <-a:
		case b <- 1:
		}
	},
	"locks": func() {
		var a, b sync.Mutex
		var wg sync.WaitGroup
		take := func(first, second *sync.Mutex) {
			first.Lock()
			defer first.Unlock()
			time.Sleep(time.Millisecond)
			second.Lock()
			defer second.Unlock()
		}
		wg.Go(func() { take(&a, &b) })
		wg.Go(func() { take(&b, &a) })
		wg.Wait()
	},
	"read lock": func() {
		var mu sync.RWMutex
		mu.RLock()
		mu.Lock()
	},
	"condition": func() {
		c := sync.NewCond(new(sync.Mutex))
		c.L.Lock()
		c.Wait()
	},
}

func TestHelperDeadlocked(t *testing.T) {
	helper(t)
	fn := deadlocks[os.Getenv("HELPER_DEADLOCK")]
	opts := goroutines(1, time.Second)
	opts.FailOnLeak = false
	faultline.Run(t, opts, func(w *faultline.World) {
		w.AddProcess("bystander", func(ctx context.Context, p *faultline.Process) error { <-ctx.Done(); return nil })
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error { fn(); return nil })
	})
}

func TestDeadlocksAreFailures(t *testing.T) {
	needsSeam(t)
	const here = `: github.com/hmdsefi/faultline_test\..* at .*deadlock_test.go:\d+\n`
	for name, wants := range map[string][]string{
		"channel":   {`n1#1: chan send \(durable\)` + here, `n1#1: chan receive|n1#1: chan send`},
		"select":    {`n1#1: select \(durable\)` + here},
		"locks":     {`(?s)n1#1: sync.Mutex.Lock.*n1#1: sync.Mutex.Lock`, `n1#1: sync.WaitGroup.Wait \(durable\)`},
		"read lock": {`n1#1: sync.RWMutex.Lock` + here},
		"condition": {`n1#1: sync.Cond.Wait \(durable\)` + here},
	} {
		t.Run(name, func(t *testing.T) {
			r := runHelper(t, "TestHelperDeadlocked", "HELPER_DEADLOCK="+name)
			r.wantFailure(t, "deadlock:n1")
			r.want(t, append(wants, `n1#1 cannot go on: nothing can wake what is left of it`)...)
			if regexp.MustCompile(`bystander#1`).MatchString(r.output) {
				t.Errorf("a process that ended is named:\n%s", r.output)
			}
		})
	}
}

// TestNoDeadlock ends with goroutines that wait, but not for each other.
func TestNoDeadlock(t *testing.T) {
	needsSeam(t) // virtual time stands still while a goroutine of a plain bubble waits for a lock
	opts := goroutines(5, time.Second)
	opts.FailOnLeak = false
	faultline.Run(t, opts, func(w *faultline.World) {
		w.AddProcess("on-purpose", func(ctx context.Context, p *faultline.Process) error { select {} })
		w.AddProcess("server", func(ctx context.Context, p *faultline.Process) error {
			l, err := p.Net.Listen("tcp", ":80")
			if err != nil {
				return err
			}
			var mu sync.Mutex
			mu.Lock()
			go func() { mu.Lock(); defer mu.Unlock() }() // waits for one that waits for the network
			defer mu.Unlock()
			for {
				if _, err := l.Accept(); err != nil {
					return nil
				}
			}
		})
		w.AddProcess("leaks", func(ctx context.Context, p *faultline.Process) error {
			go func() { <-make(chan int) }()
			return nil
		})
		w.AddProcess("crashes", func(ctx context.Context, p *faultline.Process) error {
			var mu sync.Mutex
			mu.Lock()
			go func() { mu.Lock(); defer mu.Unlock() }()
			<-ctx.Done()
			if context.Cause(ctx) == faultline.ErrCrashed {
				select {} // a ghost that holds its lock
			}
			mu.Unlock()
			return nil
		})
		w.Sim.After(100*time.Millisecond, func() { w.Sim.Node("crashes").Crash() })
	})
}

// TestTimersAreNoDeadlock has a process that takes no notice of the end, and a ticker.
func TestTimersAreNoDeadlock(t *testing.T) {
	opts := goroutines(2, time.Second)
	opts.FailOnLeak = false
	faultline.Run(t, opts, func(w *faultline.World) {
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			for range time.Tick(time.Hour) {
			}
			return nil
		})
	})
}

func needsSeam(t *testing.T) {
	t.Helper()
	if !sched.Available() {
		t.Skip("needs the seam: go test -toolexec=faultline-toolexec")
	}
}
