// SPDX-License-Identifier: MPL-2.0

package redis_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/conformance/libraries/onpurpose"
	"github.com/hmdsefi/faultline/conformance/libraries/redis"
	"github.com/hmdsefi/faultline/sim/fault"
)

const (
	duration = 20 * time.Second
	clients  = 3
)

// TestRedis has clients count in a Redis that crashes, pauses and is cut off. No operation is done twice, and of one life of the server
// all see one order.
func TestRedis(t *testing.T) { run(t, -1) }

// TestRedisRetries lets go-redis try again what it has no answer to, as it does by default. Then an operation can be done twice.
func TestRedisRetries(t *testing.T) {
	onpurpose.Skip(t)
	run(t, 3)
}

func TestRetriesAreFound(t *testing.T) {
	onpurpose.Found(t, "TestRedisRetries", "invariant:the counter is linearizable")
}

func run(t *testing.T, retries int) {
	faultline.Run(t, faultline.Options{Mode: faultline.ModeGoroutine, Seeds: 5, Duration: duration}, func(w *faultline.World) {
		book := newLedger(w.Sim)
		w.AddProcess("redis", serve)
		for i := range clients {
			w.AddClientProcess(fmt.Sprint("c", i+1), func(ctx context.Context, p *faultline.Process) error {
				return newClient(p, book, retries).run(ctx)
			})
		}
		w.Plan(fault.Random{MaxDown: 1, Rules: []fault.Rule{
			{Kind: fault.KindCrash, Every: 8 * time.Second, MinFor: 100 * time.Millisecond, MaxFor: time.Second},
			{Kind: fault.KindPause, Every: 5 * time.Second, MinFor: 100 * time.Millisecond, MaxFor: 2 * time.Second},
			{Kind: fault.KindIsolate, Every: 8 * time.Second, MinFor: 100 * time.Millisecond, MaxFor: 2 * time.Second},
			{Kind: fault.KindLink, Role: fault.AllNodes, Every: 4 * time.Second, MinFor: time.Second, MaxFor: 4 * time.Second},
		}})
		w.Invariant("the counter is linearizable", func() error { return book.wrong })
		w.Final("every client counted to the end", book.complete)
	})
}

// serve is a Redis without persistence. What it holds begins with its incarnation, so that clients know whose counter it is.
func serve(ctx context.Context, p *faultline.Process) error {
	ln, err := p.Net.Listen("tcp", ":6379")
	if err != nil {
		return err
	}
	m := miniredis.NewMiniRedis()
	if err := m.Set("life", fmt.Sprint(p.Incarnation())); err != nil {
		return err
	}
	context.AfterFunc(ctx, func() {
		ln.Close()
		m.Close()
	})
	return redis.Serve(ln, m)
}
