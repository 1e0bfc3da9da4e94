// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sched"
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/fault"
)

// busyWorld has everything in it that the Go runtime decides by itself: goroutines that
// contend for a lock, a map that is ranged over, a select, timers of one instant, and
// net/http below all of it, on a server that crashes.
func busyWorld(w *faultline.World) {
	w.AddProcess("web", func(ctx context.Context, p *faultline.Process) error {
		var mu sync.Mutex
		counts := make(map[string]int)
		go report(ctx, p, &mu, counts)
		return serve(ctx, p, http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
			mu.Lock()
			counts[req.URL.Path]++
			n := counts[req.URL.Path]
			mu.Unlock()
			fmt.Fprint(rw, n)
		}))
	})
	for _, name := range []string{"c1", "c2"} {
		w.AddClientProcess(name, func(ctx context.Context, p *faultline.Process) error {
			client := netsim.HTTPClient(p.Net)
			client.Timeout = time.Second
			defer client.CloseIdleConnections()
			var all sync.WaitGroup
			for worker := range 4 {
				all.Go(func() {
					for i := range 10 {
						body, err := get(ctx, client, fmt.Sprintf("http://web:8080/%d", i%3))
						p.Logf("worker %d got %q, %v", worker, body, err != nil)
						time.Sleep(time.Duration(p.Rand().IntN(3)) * 50 * time.Millisecond)
					}
				})
			}
			all.Wait()
			return nil
		})
	}
	w.Plan(fault.Random{MaxDown: 1, Rules: []fault.Rule{{
		Kind: fault.KindCrash, Every: 500 * time.Millisecond, MinFor: 10 * time.Millisecond, MaxFor: 200 * time.Millisecond,
	}}})
}

// report logs the counts every 100 ms, in the order of the map, until ctx ends.
func report(ctx context.Context, p *faultline.Process, mu *sync.Mutex, counts map[string]int) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
		mu.Lock()
		for path, n := range counts {
			p.Logf("%s %d", path, n)
		}
		mu.Unlock()
	}
}

func TestHelperBusy(t *testing.T) {
	helper(t)
	opts := goroutines(20, 5*time.Second)
	opts.KeepGoing = true
	faultline.Run(t, opts, busyWorld)
}

// In a binary that was built through the wrapper a seed is the same run first in a
// process, later in a list, and when run again.
func TestExactSeedsAgree(t *testing.T) {
	if !sched.Available() {
		t.Skip("needs a binary that was built through faultline-toolexec")
	}
	list := runHelper(t, "TestHelperBusy", "FAULTLINE_CHECK_DETERMINISM=1")
	if list.code != 0 || len(list.results) != 20 {
		t.Fatalf("exit code %d, %d results\n%s", list.code, len(list.results), list.output)
	}
	for i := 1; i < len(list.results); i += 6 {
		warm := list.results[i]
		cold := runHelper(t, "TestHelperBusy", "FAULTLINE_SEED="+warm["seed"].(string)).results[0]
		for _, field := range []string{"trace_hash", "events"} {
			if warm[field] != cold[field] {
				t.Errorf("seed %v, place %d of a list: %s is %v, first in a process %v", warm["seed"], i, field, warm[field], cold[field])
			}
		}
		if cold["determinism_level"] != "exact" || cold["exact_backend"] != "toolexec" {
			t.Errorf("results line %v", cold)
		}
	}
}

// Without the wrapper a difference between two runs is noticed, and the message says
// how to get rid of it.
func TestBestEffortDivergenceIsNoticed(t *testing.T) {
	if sched.Available() {
		t.Skip("needs a binary that was built without faultline-toolexec")
	}
	r := runHelper(t, "TestHelperBusy", "FAULTLINE_CHECK_DETERMINISM=1", "FAULTLINE_SEEDS=3")
	failing := r.failing()
	if len(failing) == 0 {
		t.Fatalf("three seeds gave the same run twice by chance\n%s", r.output)
	}
	for _, line := range failing {
		if line["signature"] != "determinism:trace" || line["determinism_level"] != "best-effort" {
			t.Errorf("results line %v", line)
		}
	}
	r.want(t, divergence)
}

// divergence matches all that a user is told of one.
const divergence = `(?m)^    --- FAIL: TestHelperBusy/seed=0x[0-9a-f]{16} .*
        faultline: two runs of this seed differ in their trace at t=\d\.\d{9}s \(event [1-9]\d*\)
          first run:  trace hash [0-9a-f]{16}, \d+ events, pass
          second run: trace hash [0-9a-f]{16}, \d+ events, pass
          last record in common: #\d+ \d\.\d{9}s .*
          then one run has:      (#\d+ \d\.\d{9}s (web|c1|c2)#\d+ .*|no further record)
          and another has:       (#\d+ \d\.\d{9}s (web|c1|c2)#\d+ .*|no further record)
          likely causes:
            state that outlives a run: .*
            time\.Now, os, net or other real I/O .*
            the Go runtime's own choices, .*
          for an exact run, in which the seed makes these choices, build through the wrapper:
            go get -tool github\.com/hmdsefi/faultline/cmd/faultline-toolexec # once
            go tool faultline-toolexec test -v -run '\^TestHelperBusy\$' github\.com/hmdsefi/faultline
        replay:    FAULTLINE_SEED=0x[0-9a-f]{16} FAULTLINE_CHECK_DETERMINISM=1 go test -v -run '\^TestHelperBusy\$' github\.com/hmdsefi/faultline
        fresh run: .*
        artifacts: .*
        determinism: best effort; for an exact run: go tool faultline-toolexec test -v -run '\^TestHelperBusy\$' github\.com/hmdsefi/faultline$`
