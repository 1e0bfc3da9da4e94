// SPDX-License-Identifier: MPL-2.0

// Package netsim_test holds the simulated TCP to the tests that golang.org/x/net has for every net.Conn.
package netsim_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"golang.org/x/net/nettest"

	"github.com/hmdsefi/faultline"
)

func TestTCPIsANetConn(t *testing.T) {
	faultline.Run(t, faultline.Options{Mode: faultline.ModeGoroutine, Seeds: 1, Duration: time.Hour}, func(w *faultline.World) {
		accepted := make(chan net.Conn)
		w.AddProcess("server", func(ctx context.Context, p *faultline.Process) error {
			ln, err := p.Net.Listen("tcp", ":80")
			if err != nil {
				return err
			}
			context.AfterFunc(ctx, func() { ln.Close() })
			for {
				c, err := ln.Accept()
				if err != nil {
					return err
				}
				accepted <- c
			}
		})
		ran := false
		w.AddClientProcess("client", func(ctx context.Context, p *faultline.Process) error {
			time.Sleep(time.Second) // the server listens by then
			pipe := func() (near, far net.Conn, stop func(), err error) {
				near, err = p.Net.Dial("tcp", "server:80")
				if err != nil {
					return nil, nil, nil, err
				}
				far = <-accepted
				return near, far, func() { near.Close(); far.Close() }, nil
			}
			// The T of a bubble refuses subtests, so they go to the one outside.
			nettest.TestConn(t, pipe)
			return p.Do(func() { ran = true })
		})
		w.Final("all of nettest ran", func() error {
			if !ran {
				return errors.New("the process stopped before its end")
			}
			return nil
		})
	})
}
