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
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// networks are those that connections are tried on.
var networks = map[string]struct {
	address string // that the client dials
	link    simnet.LinkConfig
	stack   netsim.Config
}{
	"default":  {address: "server:80"},
	"IPv6":     {address: "[fd00::1]:80"},
	"segments": {address: "server:80", stack: netsim.Config{MSS: 1460, Window: 64 << 10, SendBuffer: 16 << 10}},
	"bad link": {address: "server:80", link: simnet.LinkConfig{
		Latency: time.Millisecond, Jitter: 2 * time.Millisecond, DropPPM: 20_000, DupPPM: 20_000,
	}, stack: netsim.Config{MaxRTO: time.Second}},
}

func TestTCPIsANetConn(t *testing.T) {
	for name, n := range networks {
		t.Run(name, func(t *testing.T) {
			opts := faultline.Options{Mode: faultline.ModeGoroutine, Seeds: 1, Duration: time.Hour, Net: simnet.Config{Link: n.link}, NetSim: n.stack}
			faultline.Run(t, opts, func(w *faultline.World) { passNettest(t, w, n.address) })
		})
	}
}

// passNettest runs the tests of nettest in a client, with connections to a server.
func passNettest(t *testing.T, w *faultline.World, address string) {
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
			near, err = p.Net.Dial("tcp", address)
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
}
