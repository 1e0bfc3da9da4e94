// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/history"
	"github.com/hmdsefi/faultline/sim/kernel"
)

var t *testing.T // the parameter of a test function

// A test of two event-style nodes: c1 asks, n1 answers, and n1 crashes now and then.
func ExampleRun() {
	opts := faultline.Options{Seeds: 50, Duration: 10 * time.Second}
	faultline.Run(t, opts, func(w *faultline.World) {
		asked, answered := 0, 0
		n1 := w.AddServer("n1", func(n *kernel.Node) {
			w.Net.Handle(n, func(from kernel.NodeID, question any) { w.Net.Send(n, from, question) })
		})
		w.AddClient("c1", func(n *kernel.Node) {
			w.Net.Handle(n, func(kernel.NodeID, any) { answered++ })
			var ask func()
			ask = func() {
				asked++
				w.Net.Send(n, n1.ID(), asked)
				n.After(100*time.Millisecond, ask)
			}
			ask()
		})
		w.Plan(fault.Random{MaxDown: 1, Rules: []fault.Rule{{
			Kind: fault.KindCrash, Every: 2 * time.Second, MinFor: 100 * time.Millisecond, MaxFor: time.Second,
		}}})
		w.Invariant("no answer without a question", func() error {
			if answered > asked {
				return fmt.Errorf("%d answers to %d questions", answered, asked)
			}
			return nil
		})
		w.Final("some answers", func() error {
			if answered == 0 {
				return errors.New("none")
			}
			return nil
		})
	})
}

// A process is ordinary Go code on a simulated network and disk.
func ExampleWorld_AddProcess() {
	opts := faultline.Options{Mode: faultline.ModeGoroutine, Duration: 30 * time.Second}
	faultline.Run(t, opts, func(w *faultline.World) {
		w.AddProcess("echo", func(ctx context.Context, p *faultline.Process) error {
			ln, err := p.Net.Listen("tcp", ":7")
			if err != nil {
				return err
			}
			context.AfterFunc(ctx, func() { ln.Close() })
			for {
				conn, err := ln.Accept()
				if ctx.Err() != nil {
					return nil
				}
				if err != nil {
					return err
				}
				go func() {
					defer conn.Close()
					io.Copy(conn, conn)
				}()
			}
		})
		w.AddClientProcess("c1", func(ctx context.Context, p *faultline.Process) error {
			conn, err := p.Net.DialContext(ctx, "tcp", "echo:7")
			if err != nil {
				return err
			}
			defer conn.Close()
			_, err = io.WriteString(conn, "hello")
			return err
		})
	})
}

// Do is how a process records what its clients saw.
func ExampleProcess_Do() {
	opts := faultline.Options{Mode: faultline.ModeGoroutine}
	faultline.Run(t, opts, func(w *faultline.World) {
		w.AddClientProcess("c1", func(ctx context.Context, p *faultline.Process) error {
			var op int
			if err := p.Do(func() { op = w.History.Invoke(p.Name(), "read", "k1") }); err != nil {
				return err
			}
			value := "v1" // what the service under test answered
			return p.Do(func() { w.History.Complete(op, history.OK, value) })
		})
	})
}

// A role lets a rule aim at nodes that change in the course of a run.
func ExampleWorld_Role() {
	faultline.Run(t, faultline.Options{}, func(w *faultline.World) {
		leader := w.AddServer("n1", func(n *kernel.Node) {})
		w.AddServer("n2", func(n *kernel.Node) {})
		w.AddServer("n3", func(n *kernel.Node) {})
		w.Role("leader", func() []*kernel.Node { return []*kernel.Node{leader} })
		w.Plan(fault.Random{Rules: []fault.Rule{{
			Kind: fault.KindIsolate, Role: "leader", Every: 5 * time.Second, MinFor: time.Second, MaxFor: 3 * time.Second,
		}}})
	})
}

// A goal says what the seeds must have reached between them: here a restart.
func ExampleWorld_Sometimes() {
	faultline.Run(t, faultline.Options{}, func(w *faultline.World) {
		w.Sometimes("n1 restarts")
		w.AddServer("n1", func(n *kernel.Node) {
			if n.Inc() > 1 {
				w.Reached("n1 restarts")
			}
		})
		w.Plan(fault.Random{MaxDown: 1, Rules: []fault.Rule{{Kind: fault.KindCrash, Every: 20 * time.Second, MinFor: time.Second}}})
	})
}
