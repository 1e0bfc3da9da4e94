// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"go/version"
	"runtime"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sched"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/kernel"
)

func nothing(*faultline.World) {}

// wrong are ways to set up a test wrongly, and what the error must say.
var wrong = map[string]struct {
	run  func(t *testing.T)
	says string
	env  []string
}{
	"nil body": {
		run:  func(t *testing.T) { faultline.Run(t, second, nil) },
		says: `nil body`,
	},
	"options": {
		run:  func(t *testing.T) { faultline.Run(t, faultline.Options{Seeds: -1, Duration: -1}, nothing) },
		says: `(?s)option Seeds is -1; it accepts .*option Duration is -1ns; it accepts`,
	},
	"variable": {
		run:  func(t *testing.T) { faultline.Run(t, second, nothing) },
		says: `FAULTLINE_TRACE=all: not a kind of trace; it accepts hash or full`,
		env:  []string{"FAULTLINE_TRACE=all"},
	},
	"no schedule": {
		run:  func(t *testing.T) { faultline.Run(t, second, nothing) },
		says: `FAULTLINE_SCHEDULE: open /does/not/exist`,
		env:  []string{"FAULTLINE_SCHEDULE=/does/not/exist"},
	},
	"twice": {
		run: func(t *testing.T) {
			faultline.Run(t, faultline.Options{Seeds: 1, Duration: time.Second}, nothing)
			faultline.Run(t, faultline.Options{Seeds: 1, Duration: time.Second}, nothing)
		},
		says: `Run was called twice with one t`,
	},
	"process in event mode": {
		run: func(t *testing.T) {
			faultline.Run(t, second, func(w *faultline.World) { w.AddProcess("n1", idle) })
		},
		says: `node "n1" is a process, and Options.Mode is ModeEvent`,
	},
	"two nodes of one name": {
		run: func(t *testing.T) {
			faultline.Run(t, second, func(w *faultline.World) {
				w.AddServer("n1", func(*kernel.Node) {})
				w.AddClient("n1", func(*kernel.Node) {})
			})
		},
		says: `two nodes named "n1"`,
	},
	"node name": {
		run: func(t *testing.T) {
			faultline.Run(t, second, func(w *faultline.World) { w.AddServer("n 1", func(*kernel.Node) {}) })
		},
		says: `node name "n 1" is not valid`,
	},
	"no boot": {
		run: func(t *testing.T) {
			faultline.Run(t, second, func(w *faultline.World) { w.AddServer("n1", nil) })
		},
		says: `node "n1" has a nil function`,
	},
	"no process function": {
		run: func(t *testing.T) {
			faultline.Run(t, goroutines(1, time.Second), func(w *faultline.World) { w.AddProcess("n1", nil) })
		},
		says: `node "n1" has a nil function`,
	},
	"two invariants of one name": {
		run: func(t *testing.T) {
			faultline.Run(t, second, func(w *faultline.World) {
				ok := func() error { return nil }
				w.Invariant("x", ok)
				w.Invariant("x", ok)
			})
		},
		says: `two of invariant "x"`,
	},
	"planner": {
		run: func(t *testing.T) {
			faultline.Run(t, second, func(w *faultline.World) {
				w.Plan(fault.Random{Rules: []fault.Rule{{Kind: "earthquake", Every: time.Second}}})
			})
		},
		says: `planner random: .*earthquake`,
	},
	"nil planner": {
		run: func(t *testing.T) {
			faultline.Run(t, second, func(w *faultline.World) { w.Plan(nil) })
		},
		says: `nil planner`,
	},
	"parallel, seeded crypto": {
		run: func(t *testing.T) {
			t.Parallel()
			faultline.Run(t, second, nothing)
		},
		says: `set Options.NoCryptoSeed, or leave t.Parallel out`,
	},
	"parallel, goroutine mode": {
		run: func(t *testing.T) {
			t.Parallel()
			faultline.Run(t, goroutines(1, time.Second), nothing)
		},
		says: `a test in goroutine mode must not`,
	},
	"old timers": {
		run:  func(t *testing.T) { faultline.Run(t, goroutines(1, time.Second), nothing) },
		says: `no bubble can be started: .*asynctimerchan.*go line of go.mod`,
		env:  []string{"GODEBUG=asynctimerchan=1"},
	},
	"setup in a running event": {
		run: func(t *testing.T) {
			faultline.Run(t, goroutines(1, time.Second), func(w *faultline.World) {
				w.AddServer("n1", func(*kernel.Node) { w.AddServer("n1", func(*kernel.Node) {}) })
			})
		},
		says: `two nodes named "n1"`,
	},
	"exact with two Ps": {
		run: func(t *testing.T) {
			opts := goroutines(1, time.Second)
			opts.Procs = 2
			faultline.Run(t, opts, nothing)
		},
		says: exactError(),
		env:  []string{"FAULTLINE_EXACT=1"},
	},
}

// exactError is what a run with two Ps is told, which depends on how this binary was
// built.
func exactError() string {
	if sched.Available() {
		return `FAULTLINE_EXACT=1, but Options.Procs is 2; an exact run needs 1`
	}
	return `FAULTLINE_EXACT=1, but this test binary was not built through faultline-toolexec`
}

func TestHelperWrong(t *testing.T) {
	helper(t)
	for name, w := range wrong {
		t.Run(name, w.run)
	}
}

func TestSetupErrors(t *testing.T) {
	for name, w := range wrong {
		t.Run(name, func(t *testing.T) {
			if name == "old timers" && version.Compare(runtime.Version(), "go1.27") >= 0 {
				t.Skip("from Go 1.27 on the runtime itself refuses old timers, and says so")
			}
			// The go command's -run matches names as they are after rewriting.
			r := startHelper(t, w.env, "-test.run", "^TestHelperWrong$/^"+rewritten(name)+"$")
			r.want(t, `faultline: cannot run: `, w.says)
			var setup int
			for _, line := range r.results {
				if line["kind"] == "setup" {
					setup++
					if line["index"] != -1.0 || line["status"] != "fail" || line["seed"] != nil {
						t.Errorf("results line %v", line)
					}
				}
			}
			if setup != 1 || r.code != 1 {
				t.Errorf("exit code %d, %d lines of kind setup; want 1 and 1\n%s", r.code, setup, r.output)
			}
		})
	}
}

func rewritten(name string) string {
	out := []rune(name)
	for i, r := range out {
		if r == ' ' {
			out[i] = '_'
		}
	}
	return string(out)
}

func TestResultsFileThatCannotBe(t *testing.T) {
	r := runHelper(t, "TestHelperPass", "FAULTLINE_RESULTS=/does/not/exist")
	r.want(t, `FAULTLINE_RESULTS: open /does/not/exist: .*; it accepts the path of a file that can be written`)
	if r.code != 1 {
		t.Errorf("exit code %d, want 1", r.code)
	}
}

// Options of goroutine mode mean nothing in event mode, whatever they are.
func TestEventModeIgnoresGoroutineOptions(t *testing.T) {
	opts := second
	opts.Procs, opts.Drain, opts.StallTimeout, opts.FailOnLeak = -1, -1, -1, true
	faultline.Run(t, opts, nothing)
}

func TestParallelWithoutCryptoSeed(t *testing.T) {
	opts := second
	opts.NoCryptoSeed = true
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faultline.Run(t, opts, ticker(func(*faultline.World, int) {}))
		})
	}
}
