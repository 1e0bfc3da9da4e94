// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/shims/fsx"
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/kernel"
)

func goroutines(seeds int, d time.Duration) faultline.Options {
	return faultline.Options{Mode: faultline.ModeGoroutine, Seeds: seeds, Duration: d, FailOnLeak: true}
}

// idle is a process that does nothing until its context ends.
func idle(ctx context.Context, _ *faultline.Process) error {
	<-ctx.Done()
	return nil
}

// serve runs an http.Server until ctx ends.
func serve(ctx context.Context, p *faultline.Process, h http.Handler) error {
	ln, err := p.Net.Listen("tcp", ":8080")
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: h}
	go func() {
		<-ctx.Done()
		srv.Close()
	}()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func get(ctx context.Context, client *http.Client, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

func TestHTTPBetweenProcesses(t *testing.T) {
	faultline.Run(t, goroutines(3, 10*time.Second), func(w *faultline.World) {
		answers := 0
		w.AddProcess("web", func(ctx context.Context, p *faultline.Process) error {
			return serve(ctx, p, http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
				fmt.Fprintf(rw, "hello %s from %s", req.URL.Path, p.Name())
			}))
		})
		w.AddClientProcess("c1", func(ctx context.Context, p *faultline.Process) error {
			client := netsim.HTTPClient(p.Net)
			defer client.CloseIdleConnections()
			for i := range 20 {
				body, err := get(ctx, client, fmt.Sprintf("http://web:8080/%d", i))
				if err != nil {
					return err
				}
				if want := fmt.Sprintf("hello /%d from web", i); body != want {
					return fmt.Errorf("answer %q, want %q", body, want)
				}
				if err := p.Do(func() { answers++ }); err != nil {
					return err
				}
			}
			return nil
		})
		w.Final("all answered", func() error {
			if answers != 20 {
				return fmt.Errorf("%d of 20 requests were answered", answers)
			}
			return nil
		})
	})
}

// Each incarnation appends its number to a file. What was synced is there after a
// crash; what the last incarnation sees says how often it was started.
func TestCrashAndRestart(t *testing.T) {
	faultline.Run(t, goroutines(5, 10*time.Second), func(w *faultline.World) {
		var started []int
		var causes []error
		n := w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			if err := p.Do(func() { started = append(started, p.Incarnation()) }); err != nil {
				return err
			}
			f, err := p.FS.OpenFile("/log", os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(f, "%d\n", p.Incarnation()); err != nil {
				return err
			}
			if err := errors.Join(f.Sync(), p.FS.SyncDir("/")); err != nil {
				return err
			}
			<-ctx.Done()
			causes = append(causes, context.Cause(ctx))
			return f.Close()
		})
		w.Plan(fault.Script(
			fault.Event{At: time.Second, Kind: fault.KindCrash, Node: "n1"},
			fault.Event{At: 2 * time.Second, Kind: fault.KindRestart, Node: "n1"},
			fault.Event{At: 3 * time.Second, Kind: fault.KindCrash, Node: "n1"},
			fault.Event{At: 4 * time.Second, Kind: fault.KindRestart, Node: "n1"},
		))
		w.Final("three incarnations", func() error {
			content, err := w.Disk.Volume(n).ReadFile("/log")
			if err != nil {
				return err
			}
			if string(content) != "1\n2\n3\n" || fmt.Sprint(started) != "[1 2 3]" {
				return fmt.Errorf("log %q, started %v", content, started)
			}
			if len(causes) != 3 || causes[0] != faultline.ErrCrashed || causes[1] != faultline.ErrCrashed || causes[2] != context.Canceled {
				return fmt.Errorf("contexts ended because of %v", causes)
			}
			return nil
		})
	})
}

// What is left of a crashed incarnation goes on running and changes nothing.
func TestGhostsChangeNothing(t *testing.T) {
	faultline.Run(t, goroutines(5, 10*time.Second), func(w *faultline.World) {
		var errs []error
		done := 0
		n := w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			if p.Incarnation() > 1 {
				return idle(ctx, p)
			}
			f, err := p.FS.Create("/ghost")
			if err != nil {
				return err
			}
			<-ctx.Done()
			time.Sleep(3 * time.Second) // past the restart
			_, werr := f.Write([]byte("boo"))
			_, cerr := p.FS.Create("/boo")
			_, lerr := p.Net.Listen("tcp", ":1")
			derr := p.Do(func() { done++ })
			errs = []error{werr, cerr, lerr, derr}
			return errors.New("a ghost's error is no failure")
		})
		w.Plan(fault.Script(
			fault.Event{At: time.Second, Kind: fault.KindCrash, Node: "n1"},
			fault.Event{At: 2 * time.Second, Kind: fault.KindRestart, Node: "n1"},
		))
		w.Final("no effect", func() error {
			if len(errs) != 4 || done != 0 {
				return fmt.Errorf("the ghost got %v, and Do ran %d times", errs, done)
			}
			for i, err := range errs {
				if err == nil {
					return fmt.Errorf("call %d of the ghost succeeded", i)
				}
			}
			if errs[3] != faultline.ErrCrashed {
				return fmt.Errorf("Do returned %v", errs[3])
			}
			if _, err := w.Disk.Volume(n).Stat("/boo"); err == nil {
				return errors.New("the ghost made a file")
			}
			return nil
		})
	})
}

// The clock of a process shows what faults make of it, and keeps it over a restart, as a machine's does.
func TestClockFollowsFaults(t *testing.T) {
	faultline.Run(t, goroutines(1, 10*time.Second), func(w *faultline.World) {
		var seen, other []time.Duration
		show := func(into *[]time.Duration) func(context.Context, *faultline.Process) error {
			return func(ctx context.Context, p *faultline.Process) error {
				for ctx.Err() == nil {
					now := p.Clock().Now().Sub(kernel.Epoch)
					if err := p.Do(func() { *into = append(*into, now) }); err != nil {
						return err
					}
					time.Sleep(time.Second)
				}
				return nil
			}
		}
		n := w.AddProcess("n1", show(&seen))
		w.AddProcess("n2", show(&other))
		at := func(d time.Duration, fn func()) { w.Sim.At(kernel.Time(d), fn) }
		at(500*time.Millisecond, func() { n.JumpClock(time.Hour) })
		at(1500*time.Millisecond, func() { n.SetDrift(100_000) })
		at(4500*time.Millisecond, func() { n.SetDrift(0) })
		at(5100*time.Millisecond, func() { n.Crash() })
		at(7*time.Second, func() { n.Restart() })
		w.Final("times", func() error {
			const hour, ms = time.Hour, time.Millisecond
			want := []time.Duration{
				0, hour + 1000*ms, hour + 2050*ms, hour + 3150*ms, hour + 4250*ms, hour + 5300*ms,
				hour + 7300*ms, hour + 8300*ms, hour + 9300*ms, // after the restart
			}
			if !slices.Equal(seen[:len(want)], want) {
				return fmt.Errorf("clock showed %v, want %v", seen, want)
			}
			for i, at := range other {
				if at != time.Duration(i)*time.Second {
					return fmt.Errorf("the clock of another node showed %v", other)
				}
			}
			return nil
		})
	})
}

// A call of a paused node waits for the node to resume.
func TestPausedProcessWaits(t *testing.T) {
	faultline.Run(t, goroutines(3, 10*time.Second), func(w *faultline.World) {
		var ran, returned time.Duration
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			time.Sleep(2 * time.Second)
			err := p.Do(func() { ran = w.Sim.Now().Sub(0) })
			returned = time.Since(kernel.Epoch)
			return err
		})
		w.Plan(fault.Script(
			fault.Event{At: time.Second, Kind: fault.KindPause, Node: "n1"},
			fault.Event{At: 3 * time.Second, Kind: fault.KindResume, Node: "n1"},
		))
		w.Final("waited", func() error {
			if ran != 3*time.Second || returned != 3*time.Second {
				return fmt.Errorf("the call ran at %v and returned at %v", ran, returned)
			}
			return nil
		})
	})
}

// What a process draws depends on its name and incarnation, and not on the others.
func TestProcessRandIsItsOwn(t *testing.T) {
	type key struct {
		seed uint64
		name string
	}
	drawn := make(map[key]uint64) // of all runs, on purpose: those of one seed must agree
	for _, names := range [][]string{{"a", "b"}, {"b", "a"}, {"b"}} {
		t.Run(strings.Join(names, ""), func(t *testing.T) {
			opts := goroutines(1, time.Second)
			opts.BaseSeed = 1
			faultline.Run(t, opts, func(w *faultline.World) {
				for _, name := range names {
					w.AddProcess(name, func(ctx context.Context, p *faultline.Process) error {
						return p.Do(func() {
							x, k := p.Rand().Uint64(), key{w.Sim.Seed(), name}
							if was, ok := drawn[k]; ok && was != x {
								w.T().Errorf("%v drew %x and then %x", k, was, x)
							}
							drawn[k] = x
						})
					})
				}
			})
		})
	}
	values := make(map[uint64]key)
	for k, x := range drawn {
		if other, ok := values[x]; ok {
			t.Errorf("%v and %v drew the same", k, other)
		}
		values[x] = k
	}
}

func TestHelperProcessError(t *testing.T) {
	helper(t)
	faultline.Run(t, goroutines(1, time.Second), func(w *faultline.World) {
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			time.Sleep(300 * time.Millisecond)
			return errors.New("no disk")
		})
	})
}

func TestHelperProcessPanic(t *testing.T) {
	helper(t)
	faultline.Run(t, goroutines(1, time.Second), func(w *faultline.World) {
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			time.Sleep(300 * time.Millisecond)
			var none []int
			return fmt.Errorf("element %d", none[p.Incarnation()])
		})
	})
}

func TestHelperProcessFatal(t *testing.T) {
	helper(t)
	faultline.Run(t, goroutines(1, time.Second), func(w *faultline.World) {
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			go func() {
				time.Sleep(300 * time.Millisecond)
				w.T().Fatal("from a goroutine")
			}()
			return idle(ctx, p)
		})
	})
}

func TestHelperDoFatal(t *testing.T) {
	helper(t)
	faultline.Run(t, goroutines(1, time.Second), func(w *faultline.World) {
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			time.Sleep(300 * time.Millisecond)
			return p.Do(func() { w.T().Fatal("in a call") })
		})
	})
}

func TestHelperDoPanic(t *testing.T) {
	helper(t)
	faultline.Run(t, goroutines(1, time.Second), func(w *faultline.World) {
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			time.Sleep(300 * time.Millisecond)
			return p.Do(func() { explodeAt(1, 1) })
		})
	})
}

// The invariant looks at the disk through the process's own file system.
func TestHelperInvariantOnFiles(t *testing.T) {
	helper(t)
	faultline.Run(t, goroutines(1, time.Second), func(w *faultline.World) {
		var files fsx.FS
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			p.Do(func() { files = p.FS })
			time.Sleep(300 * time.Millisecond)
			p.FS.WriteFile("/x", nil, 0o644)
			return idle(ctx, p)
		})
		w.Invariant("no file", func() error {
			if files == nil {
				return nil
			}
			if _, err := files.Stat("/x"); err == nil {
				return errors.New("there is a file")
			}
			return nil
		})
	})
}

func TestHelperLeak(t *testing.T) {
	helper(t)
	faultline.Run(t, goroutines(1, time.Second), func(w *faultline.World) {
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			forever := make(chan int)
			go func() { <-forever }()
			return nil
		})
	})
}

func TestHelperDeadlock(t *testing.T) {
	helper(t)
	faultline.Run(t, goroutines(1, time.Second), func(w *faultline.World) {
		<-make(chan int)
	})
}

func TestProcessFailures(t *testing.T) {
	tests := []struct {
		helper, signature, message string
	}{
		{"TestHelperProcessError", "fail:n1", `n1#1 returned: no disk`},
		{"TestHelperProcessPanic", "panic:github.com/hmdsefi/faultline_test.TestHelperProcessPanic.func1.1", `index out of range \[1\] with length 0`},
		{"TestHelperProcessFatal", "fail:github.com/hmdsefi/faultline_test.TestHelperProcessFatal.func1.1.1", `from a goroutine`},
		{"TestHelperDoFatal", "fail:github.com/hmdsefi/faultline_test.TestHelperDoFatal.func1.1.1", `in a call`},
		{"TestHelperDoPanic", "panic:github.com/hmdsefi/faultline_test.explodeAt", `boom 1`},
		{"TestHelperInvariantOnFiles", "invariant:no file", `there is a file`},
		{"TestHelperLeak", "leak:goroutines", `chan receive \(durable\): .*TestHelperLeak\.func1\.1\.1 at .*goroutine_test.go:\d+`},
		{"TestHelperDeadlock", "deadlock:world", `chan receive \(durable\): .*TestHelperDeadlock\.func1 at .*goroutine_test.go:\d+`},
	}
	for _, tt := range tests {
		t.Run(tt.helper, func(t *testing.T) {
			r := runHelper(t, tt.helper)
			line := r.wantFailure(t, tt.signature)
			seed := line["seed"].(string)
			r.want(t, tt.message,
				`(?m)^faultline: running seed `+seed+`, replay: FAULTLINE_SEED=`+seed+` go test -v .*$`,
				`(?m)^        determinism: `)
		})
	}
}

func TestLeakIsWrittenDown(t *testing.T) {
	r := runHelper(t, "TestHelperLeak")
	line := r.wantFailure(t, "leak:goroutines")
	data, err := os.ReadFile(line["artifact"].(string) + "/goroutines.txt")
	if err != nil || !strings.Contains(string(data), "TestHelperLeak.func1.1.1") {
		t.Errorf("goroutines.txt: %v\n%s", err, data)
	}
}

// Goroutines that are left over do not fail a test that did not ask for it, although
// the bubble ends in a deadlock.
func TestLeakWithoutFailOnLeak(t *testing.T) {
	opts := goroutines(2, time.Second)
	opts.FailOnLeak = false
	faultline.Run(t, opts, func(w *faultline.World) {
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			go func() { select {} }()
			return nil
		})
	})
}

func TestHelperStall(t *testing.T) {
	helper(t)
	opts := goroutines(1, time.Second)
	opts.StallTimeout = 200 * time.Millisecond
	faultline.Run(t, opts, func(w *faultline.World) {
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			r, _, err := os.Pipe()
			if err != nil {
				return err
			}
			var b [1]byte
			r.Read(b[:]) // real I/O that never comes
			return nil
		})
	})
}

func TestStallEndsTheProcess(t *testing.T) {
	r := runHelper(t, "TestHelperStall")
	line := r.wantFailure(t, "stall:run")
	if r.code != 2 {
		t.Errorf("exit code %d, want 2", r.code)
	}
	r.want(t, `no progress for 200ms of real time`, `TestHelperStall\.func1\.1`, `replay: +FAULTLINE_SEED=`+line["seed"].(string))
	data, err := os.ReadFile(line["artifact"].(string) + "/stall.txt")
	if err != nil || !strings.Contains(string(data), "TestHelperStall.func1.1") {
		t.Errorf("stall.txt: %v\n%s", err, data)
	}
}
