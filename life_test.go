// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// A process whose function has returned is gone, as after main: its port is closed, its lock is free, and what it leaves
// behind can do nothing. The node stays up, and can be crashed and restarted.
func TestReturnEndsTheProcess(t *testing.T) {
	faultline.Run(t, goroutines(5, 10*time.Second), func(w *faultline.World) {
		var left []error
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			lock, err := p.FS.Create("/LOCK")
			if err != nil {
				return err
			}
			if granted, err := lock.TryLock(); !granted || err != nil {
				return fmt.Errorf("the lock: %v, %v", granted, err)
			}
			ln, err := p.Net.Listen("tcp", ":80")
			if err != nil {
				return err
			}
			if p.Incarnation() > 1 {
				return idle(ctx, p)
			}
			go func() {
				var err error
				for err == nil {
					_, err = ln.Accept()
				}
				left = append(left, err, p.Do(func() { w.T().Error("Do ran") }), context.Cause(ctx), lock.Unlock())
			}()
			time.Sleep(time.Second)
			return nil
		})
		var dials []error
		w.AddClientProcess("c1", func(ctx context.Context, p *faultline.Process) error {
			for range 3 { // at 0.5, 2.5 and 4.5 s
				time.Sleep(500 * time.Millisecond)
				_, err := p.Net.Dial("tcp", "n1:80")
				dials = append(dials, err)
				time.Sleep(1500 * time.Millisecond)
			}
			return nil
		})
		w.Plan(fault.Script(
			fault.Event{At: 3 * time.Second, Kind: fault.KindCrash, Node: "n1"},
			fault.Event{At: 4 * time.Second, Kind: fault.KindRestart, Node: "n1"},
		))
		w.Final("the process is gone", func() error {
			if len(dials) != 3 || dials[0] != nil || !errors.Is(dials[1], syscall.ECONNREFUSED) || dials[2] != nil {
				return fmt.Errorf("dials gave %v; want one that is refused between two that are not", dials)
			}
			for i, want := range []error{net.ErrClosed, faultline.ErrExited, faultline.ErrExited, syscall.ESTALE} {
				if i >= len(left) || !errors.Is(left[i], want) {
					return fmt.Errorf("what was left got %v", left)
				}
			}
			return nil
		})
	})
}

// What a process has written when its function returns still arrives, without a Close.
func TestLastWordsArrive(t *testing.T) {
	faultline.Run(t, goroutines(20, 10*time.Second), func(w *faultline.World) {
		w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
			c, err := p.Net.Dial("tcp", "n2:80")
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(c, "last words")
			return err
		})
		var got string
		w.AddProcess("n2", func(ctx context.Context, p *faultline.Process) error {
			ln, err := p.Net.Listen("tcp", ":80")
			if err != nil {
				return err
			}
			c, err := ln.Accept()
			if err != nil {
				return err
			}
			b := make([]byte, 100)
			n, err := c.Read(b)
			got = string(b[:n])
			return err
		})
		w.Final("arrived", func() error {
			if got != "last words" {
				return fmt.Errorf("n2 read %q", got)
			}
			return nil
		})
	})
}

// What ends the test binary comes after a line that names the seed. Where Go prints a stack, that names the process.
func TestDeathsOfTheBinaryNameTheSeed(t *testing.T) {
	const process = `\{"?faultline\.process"?: "?n1#1"?\}` // Go 1.27 quotes only what needs it
	for seed, death := range map[uint64]string{
		2: `panic: nobody recovers.*` + process,
		3: `leaving`,
		4: `no disk`,
		5: `fatal error: sync: unlock of unlocked mutex.*` + process,
	} {
		r := runHelper(t, "TestHelperDeaths", "FAULTLINE_ISOLATE=0", fmt.Sprintf("FAULTLINE_SEED=%d", seed))
		if r.code == 0 {
			t.Errorf("seed %d: exit code 0", seed)
		}
		r.want(t, fmt.Sprintf(`(?s)faultline: running seed 0x%016x, replay: FAULTLINE_SEED=0x%016x .*%s`, seed, seed, death))
	}
}

// A process and an event-style node exchange datagrams.
func TestDatagramsBetweenAProcessAndAnEventNode(t *testing.T) {
	faultline.Run(t, goroutines(5, 10*time.Second), func(w *faultline.World) {
		var heard []string
		w.AddServer("n1", func(n *kernel.Node) {
			w.Net.Handle(n, func(from kernel.NodeID, msg any) {
				heard = append(heard, string(msg.(netsim.Datagram).Data))
			})
			to := netip.AddrPortFrom(netsim.IP(w.Sim.Node("n2").ID()), 53)
			n.After(time.Second, func() {
				w.Net.Send(n, w.Sim.Node("n2").ID(), netsim.Datagram{From: netip.AddrPortFrom(netsim.IP(n.ID()), 53), To: to, Data: []byte("ping")})
			})
		})
		w.AddProcess("n2", func(ctx context.Context, p *faultline.Process) error {
			c, err := p.Net.ListenPacket("udp", ":53")
			if err != nil {
				return err
			}
			b := make([]byte, 100)
			n, from, err := c.ReadFrom(b)
			if err != nil {
				return err
			}
			_, err = c.WriteTo(append(b[:n], " pong"...), from)
			return err
		})
		w.Final("heard", func() error {
			if !slices.Equal(heard, []string{"ping pong"}) {
				return fmt.Errorf("n1 heard %q", heard)
			}
			return nil
		})
	})
}

// Options.Procs is GOMAXPROCS while a run goes on.
func TestProcs(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	t.Run("two", func(t *testing.T) {
		opts := goroutines(1, time.Second)
		opts.Procs = 2
		faultline.Run(t, opts, func(w *faultline.World) {
			w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
				if n := runtime.GOMAXPROCS(0); n != 2 {
					return fmt.Errorf("GOMAXPROCS is %d, want 2", n)
				}
				return nil
			})
		})
	})
	if after := runtime.GOMAXPROCS(0); after != before {
		t.Errorf("GOMAXPROCS is %d after a run, and was %d", after, before)
	}
}

// slowToStop is a process that takes 30 s of virtual time to stop.
func slowToStop(w *faultline.World) {
	w.AddProcess("n1", func(ctx context.Context, p *faultline.Process) error {
		<-ctx.Done()
		time.Sleep(30 * time.Second)
		_, err := p.FS.ReadDir("/") // which still works
		return err
	})
}

func TestHelperSlowStop(t *testing.T) {
	helper(t)
	opts := goroutines(1, time.Second)
	opts.Drain = 20 * time.Second
	faultline.Run(t, opts, slowToStop)
}

// Processes have Options.Drain to stop, no more and no less.
func TestDrain(t *testing.T) {
	t.Run("enough", func(t *testing.T) {
		opts := goroutines(1, time.Second)
		opts.Drain = 31 * time.Second
		faultline.Run(t, opts, slowToStop)
	})
	r := runHelper(t, "TestHelperSlowStop")
	line := r.wantFailure(t, "leak:goroutines")
	if line["at"] != "21.000000000s" {
		t.Errorf("the run of 1s with 20s to stop ended at %v", line["at"])
	}
}
