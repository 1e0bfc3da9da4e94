// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// world is one simulator with a driver and nodes whose boot functions start goroutines.
type world struct {
	sim *kernel.Sim
	drv *driver.Driver
	wg  sync.WaitGroup
}

// inWorld runs body inside a bubble and closes the driver after it.
func inWorld(t *testing.T, order driver.Order, body func(w *world)) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		s := kernel.New(kernel.Config{Seed: 1, Record: true})
		w := &world{sim: s, drv: driver.New(s, order)}
		body(w)
		w.drv.Close()
		w.wg.Wait()
	})
}

// process adds a node each incarnation of which runs fn as a goroutine.
func (w *world) process(name string, fn func(p *driver.Proc)) *kernel.Node {
	return w.sim.AddNode(name, func(n *kernel.Node) {
		p := w.drv.Proc(n)
		w.wg.Go(func() { fn(p) })
	}, kernel.TagProcess)
}

func (w *world) run(d time.Duration) {
	w.sim.Start()
	w.drv.Run(w.sim.Now().Add(d), nil)
}

// wait is a call that a kernel event finishes after d.
func wait(p *driver.Proc, key string, d time.Duration) error {
	return p.Call(key, func(c *driver.Call) {
		p.Node().Sim().After(d, func() { c.Finish(nil) })
	})
}

func at(p *driver.Proc) (now kernel.Time) {
	_ = p.Call("now", func(c *driver.Call) {
		now = p.Node().Sim().Now()
		c.Finish(nil)
	})
	return now
}

func TestClocksAgree(t *testing.T) {
	inWorld(t, driver.Arrival, func(w *world) {
		check := func(p *driver.Proc) {
			t.Helper()
			if now, bubble := at(p), w.drv.Now(); now != bubble {
				t.Errorf("kernel time %v, bubble time %v", now, bubble)
			}
		}
		w.process("n", func(p *driver.Proc) {
			check(p)
			time.Sleep(3 * time.Millisecond) // no event: the kernel must be moved along
			check(p)
			if err := wait(p, "w", 5*time.Millisecond); err != nil {
				t.Error(err)
			}
			check(p)
			if got := w.drv.Now(); got != kernel.Time(8*time.Millisecond) {
				t.Errorf("the call returned at %v, want 8ms", got)
			}
		})
		w.run(time.Second)
		if now := w.sim.Now(); now != kernel.Time(time.Second) {
			t.Errorf("the run ended at %v, want 1s", now)
		}
		time.Sleep(time.Second) // on the driver's own goroutine: the event below is late
		ran := false
		w.sim.After(time.Millisecond, func() { ran = true })
		w.drv.Run(kernel.Time(2*time.Second), nil)
		if !ran || w.sim.Now() != kernel.Time(2*time.Second) {
			t.Errorf("late event ran: %v, kernel time %v", ran, w.sim.Now())
		}
	})
}

func TestEventsAtTheEndRun(t *testing.T) {
	inWorld(t, driver.Arrival, func(w *world) {
		var ran []string
		w.sim.At(kernel.Time(time.Second), func() { ran = append(ran, "at") })
		w.sim.At(kernel.Time(time.Second)+1, func() { ran = append(ran, "after") })
		w.drv.Run(kernel.Time(time.Second), nil)
		if !slices.Equal(ran, []string{"at"}) {
			t.Errorf("ran %v, want only the event at the end", ran)
		}
	})
}

func TestStopEndsRun(t *testing.T) {
	inWorld(t, driver.Arrival, func(w *world) {
		done := false
		w.process("n", func(p *driver.Proc) {
			_ = wait(p, "w", time.Millisecond)
			done = true
		})
		w.sim.Start()
		w.drv.Run(kernel.Time(time.Hour), func() bool { return done })
		if now := w.drv.Now(); now != kernel.Time(time.Millisecond) {
			t.Errorf("stopped at %v, want 1ms", now)
		}
	})
}

func TestStoppedSimEndsRunAndCallsEndWithErrGone(t *testing.T) {
	inWorld(t, driver.Arrival, func(w *world) {
		errs := make([]error, 2)
		for i, name := range []string{"a", "b"} {
			w.process(name, func(p *driver.Proc) {
				time.Sleep(time.Millisecond)
				errs[i] = p.Call("fail", func(c *driver.Call) { w.sim.Fail(errors.New(name)) })
				if err := p.Call("late", func(c *driver.Call) { t.Error("ran after Close") }); err != driver.ErrGone {
					t.Errorf("call after Close: %v", err)
				}
			})
		}
		w.run(time.Second)
		if w.sim.Err() == nil || w.sim.Now() != kernel.Time(time.Millisecond) {
			t.Fatalf("sim error %v at %v", w.sim.Err(), w.sim.Now())
		}
		w.drv.Close()
		w.wg.Wait()
		for i, err := range errs {
			if err != driver.ErrGone {
				t.Errorf("call %d ended with %v, want ErrGone", i, err)
			}
		}
	})
}

func TestByKeyOrdersCallsOfOneInstant(t *testing.T) {
	inWorld(t, driver.ByKey, func(w *world) {
		var got []string
		for _, name := range []string{"b", "a"} {
			w.process(name, func(p *driver.Proc) {
				var wg sync.WaitGroup
				time.Sleep(time.Millisecond)
				for _, key := range []string{"z", "y", "x"} {
					wg.Go(func() {
						_ = p.Call(key, func(c *driver.Call) {
							got = append(got, name+key)
							c.Finish(nil)
						})
					})
				}
				wg.Wait()
			})
		}
		w.run(time.Second)
		if want := "bx by bz ax ay az"; strings.Join(got, " ") != want {
			t.Errorf("order %v, want %v", got, want)
		}
	})
}

// A goroutine that posts goes on, so what it calls next must not overtake.
func TestByKeyKeepsPostsBeforeCalls(t *testing.T) {
	inWorld(t, driver.ByKey, func(w *world) {
		var got []string
		w.process("n", func(p *driver.Proc) {
			time.Sleep(time.Millisecond)
			p.Post("z", func() { got = append(got, "post") })
			_ = p.Call("a", func(c *driver.Call) {
				got = append(got, "call")
				c.Finish(nil)
			})
		})
		w.run(time.Second)
		if want := "post call"; strings.Join(got, " ") != want {
			t.Errorf("order %v, want %v", got, want)
		}
	})
}

// The goroutine that a call wakes must run before the next event of that instant.
func TestWokenGoroutinesRunBeforeTheNextEvent(t *testing.T) {
	inWorld(t, driver.Arrival, func(w *world) {
		var log []string
		note := func(s string) { log = append(log, s) }
		w.process("n", func(p *driver.Proc) {
			_ = p.Call("first", func(c *driver.Call) {
				w.sim.After(0, func() { note("event") })
				note("first")
				c.Finish(nil)
			})
			_ = p.Call("second", func(c *driver.Call) { note("second"); c.Finish(nil) })
		})
		w.run(time.Second)
		if want := "first second event"; strings.Join(log, " ") != want {
			t.Errorf("order %v, want %v", log, want)
		}
	})
}

func TestCrashAbortsPendingCallsInOrder(t *testing.T) {
	inWorld(t, driver.Arrival, func(w *world) {
		crash := errors.New("crashed")
		w.drv.SetCrashCause(crash)
		var log []string
		note := func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
		n := w.process("n", func(p *driver.Proc) {
			if p.Inc() > 1 {
				return
			}
			_ = p.Call("setup", func(c *driver.Call) {
				p.AtEnd(func() { note("end") })
				c.Finish(nil)
			})
			for i := range 3 {
				w.wg.Go(func() {
					time.Sleep(time.Duration(i))
					err := p.Call("wait", func(c *driver.Call) {
						c.OnAbort(func() { note("second %d", i) })
						c.OnAbort(func() { note("first %d", i) })
					})
					if err != driver.ErrGone || p.Alive() || context.Cause(p.Context()) != crash {
						t.Errorf("call %d: %v, alive %v", i, err, p.Alive())
					}
				})
			}
			<-p.Context().Done()
			if err := p.Call("ghost", func(c *driver.Call) { t.Error("a ghost's call ran") }); err != driver.ErrGone {
				t.Errorf("ghost: %v", err)
			}
			p.Post("ghost", func() { t.Error("a ghost's post ran") })
		})
		first := make([]*driver.Proc, 0, 2)
		w.sim.OnCrash(func(n *kernel.Node) { first = append(first, w.drv.Proc(n)) })
		w.sim.At(kernel.Time(time.Millisecond), func() { n.Crash() })
		w.sim.At(kernel.Time(2*time.Millisecond), func() { n.Restart() })
		w.run(time.Second)
		if want := "first 0,second 0,first 1,second 1,first 2,second 2,end"; strings.Join(log, ",") != want {
			t.Errorf("hooks %v, want %v", log, want)
		}
		if p := w.drv.Proc(n); p.Inc() != 2 || !p.Alive() || p != w.drv.Proc(n) {
			t.Errorf("after the restart: incarnation %d, alive %v", p.Inc(), p.Alive())
		}
	})
}

func TestEndKeepsTheNode(t *testing.T) {
	inWorld(t, driver.Arrival, func(w *world) {
		var pending error
		over := errors.New("main returned")
		ended := 0
		n := w.process("n", func(p *driver.Proc) {
			pending = p.Call("wait", func(c *driver.Call) {})
		})
		w.sim.At(kernel.Time(time.Millisecond), func() {
			p := w.drv.Proc(n)
			p.AtEnd(func() { ended++ })
			p.End(over)
			p.End(over)
		})
		w.run(time.Second)
		p := w.drv.Proc(n)
		if pending != driver.ErrGone || ended != 1 || p.Alive() || n.State() != kernel.Up {
			t.Errorf("pending call %v, ended %d times, alive %v, node %v", pending, ended, p.Alive(), n.State())
		}
		if p.Context().Err() == nil {
			t.Error("the context of the ended process is not cancelled")
		}
	})
}

func TestPausedNodesCallsWaitInOrder(t *testing.T) {
	inWorld(t, driver.Arrival, func(w *world) {
		var got []int
		n := w.process("n", func(p *driver.Proc) {
			time.Sleep(2 * time.Millisecond)
			for i := range 5 {
				w.wg.Go(func() {
					time.Sleep(time.Duration(i))
					err := p.Call("k", func(c *driver.Call) { got = append(got, i); c.Finish(nil) })
					if now := w.drv.Now(); err != nil || now != kernel.Time(10*time.Millisecond) {
						t.Errorf("call %d ended at %v with %v, want 10ms", i, now, err)
					}
				})
			}
		})
		w.sim.At(kernel.Time(time.Millisecond), func() { n.Pause() })
		w.sim.At(kernel.Time(10*time.Millisecond), func() { n.Resume() })
		w.run(time.Second)
		if !slices.Equal(got, []int{0, 1, 2, 3, 4}) {
			t.Errorf("order %v", got)
		}
	})
}

func TestCrashWhilePausedEndsWaitingCalls(t *testing.T) {
	inWorld(t, driver.Arrival, func(w *world) {
		var err error
		n := w.process("n", func(p *driver.Proc) {
			if p.Inc() == 1 {
				time.Sleep(2 * time.Millisecond)
				err = p.Call("k", func(c *driver.Call) { t.Error("the call ran"); c.Finish(nil) })
			}
		})
		w.sim.At(kernel.Time(time.Millisecond), func() { n.Pause() })
		w.sim.At(kernel.Time(10*time.Millisecond), func() { n.Crash() })
		w.sim.At(kernel.Time(20*time.Millisecond), func() { n.Restart() })
		w.run(time.Second)
		if err != driver.ErrGone {
			t.Errorf("the call ended with %v, want ErrGone", err)
		}
	})
}

// The first Finish of a call decides.
func TestFinishTwice(t *testing.T) {
	inWorld(t, driver.Arrival, func(w *world) {
		first := errors.New("first")
		w.process("n", func(p *driver.Proc) {
			err := p.Call("k", func(c *driver.Call) {
				c.Finish(first)
				c.Finish(nil)
				if c.Pending() {
					t.Error("still pending after Finish")
				}
			})
			if err != first {
				t.Errorf("call returned %v, want the first result", err)
			}
		})
		w.run(time.Second)
	})
}

func TestOutsideAndPost(t *testing.T) {
	inWorld(t, driver.Arrival, func(w *world) {
		ran := false
		w.wg.Go(func() {
			p := w.drv.Outside()
			if err := p.Call("k", func(c *driver.Call) { c.Finish(nil) }); err != nil {
				t.Error(err)
			}
			p.Post("post", func() { ran = true })
		})
		w.drv.Run(kernel.Time(time.Second), nil)
		if !ran {
			t.Error("the post did not run")
		}
	})
}

func TestInline(t *testing.T) {
	inWorld(t, driver.Arrival, func(w *world) {
		n := w.process("n", func(p *driver.Proc) {})
		w.sim.Start()
		w.drv.Run(0, nil)
		p := w.drv.Proc(n)
		w.drv.Inline(func() {
			if err := p.Call("now", func(c *driver.Call) {
				if !c.Inline() {
					t.Error("the call is not inline")
				}
				c.Finish(nil)
			}); err != nil {
				t.Error(err)
			}
			aborted := false
			err := p.Call("wait", func(c *driver.Call) { c.OnAbort(func() { aborted = true }) })
			if err != driver.ErrWouldBlock || !aborted {
				t.Errorf("waiting inline: %v, aborted %v", err, aborted)
			}
		})
	})
}

// A woken goroutine's records name the record that woke it as their cause.
func TestCauseOfCalls(t *testing.T) {
	inWorld(t, driver.Arrival, func(w *world) {
		var woke uint64
		w.process("n", func(p *driver.Proc) {
			_ = p.Call("wait", func(c *driver.Call) {
				w.sim.After(time.Millisecond, func() {
					woke = w.sim.Begin(p.Node(), "test.wake", "")
					c.Finish(nil)
				})
			})
			_ = p.Call("log", func(c *driver.Call) {
				w.sim.Emit(p.Node(), "test.log", "")
				c.Finish(nil)
			})
		})
		w.run(time.Second)
		records := w.sim.Records()
		last := records[len(records)-1]
		if last.Kind != "test.log" || last.Cause != woke || woke == 0 {
			t.Errorf("last record %+v, want cause %d", last, woke)
		}
	})
}

func TestPanicInCall(t *testing.T) {
	inWorld(t, driver.Arrival, func(w *world) {
		boom := errors.New("boom")
		w.process("n", func(p *driver.Proc) {
			if err := p.Call("op", func(c *driver.Call) { explode(boom) }); err != driver.ErrGone {
				t.Errorf("the call that panicked returned %v", err)
			}
		})
		defer func() {
			p, ok := recover().(*driver.Panic)
			if !ok || !errors.Is(p, boom) || p.Call != "n/1 op" {
				t.Fatalf("recovered %v", p)
			}
			if !strings.Contains(string(p.Stack), "explode") {
				t.Errorf("the stack does not show where it happened:\n%s", p.Stack)
			}
			w.drv.Close()
			w.wg.Wait()
		}()
		w.run(time.Second)
	})
}

func explode(err error) { panic(err) }
