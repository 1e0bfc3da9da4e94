// SPDX-License-Identifier: MPL-2.0

package grpcsim_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sim/fault"
)

// probing notices within seconds that a server is gone without a word.
var probing = keepalive.ClientParameters{Time: 10 * time.Second, Timeout: time.Second}

// TestBusy is a world with much going on: three clients, each with calls and a stream of its own, against a server that crashes and
// is cut off. It is what conformance/cmd/starts compares from run to run.
func TestBusy(t *testing.T) {
	faultline.Run(t, options(3, 8*time.Second), func(w *faultline.World) {
		w.AddProcess("kv", func(ctx context.Context, p *faultline.Process) error {
			return serve(ctx, p, func(s *grpc.Server) {
				healthpb.RegisterHealthServer(s, health.NewServer())
				registerPipe(echo)(s)
			})
		})
		calls, echoes := 0, 0
		for i := range 3 {
			w.AddClientProcess(fmt.Sprint("c", i+1), func(ctx context.Context, p *faultline.Process) error {
				return connect(p, func(c *grpc.ClientConn) error {
					go chat(ctx, p, c, &echoes)
					return poll(ctx, p, c, &calls)
				}, grpc.WithKeepaliveParams(probing))
			})
		}
		w.Plan(&fault.Random{Rules: []fault.Rule{
			{Kind: fault.KindCrash, Every: 3 * time.Second, MinFor: 100 * time.Millisecond, MaxFor: time.Second},
			{Kind: fault.KindIsolate, Every: 4 * time.Second, MinFor: 100 * time.Millisecond, MaxFor: 2 * time.Second},
		}, MaxDown: 1})
		w.Final("there were answers", func() error {
			if calls == 0 || echoes == 0 {
				return fmt.Errorf("%d calls and %d messages of streams were answered", calls, echoes)
			}
			return nil
		})
	})
}

// poll asks the health service until ctx ends.
func poll(ctx context.Context, p *faultline.Process, c *grpc.ClientConn, answered *int) error {
	for ctx.Err() == nil {
		_, err := check(ctx, c, 500*time.Millisecond)
		switch status.Code(err) {
		case codes.OK:
			_ = p.Do(func() { *answered++ })
		case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		default:
			return err
		}
		time.Sleep(time.Duration(p.Rand().IntN(100)) * time.Millisecond)
	}
	return nil
}

// chat sends messages over a stream and reads them back, over a new one when that has ended, until the client is closed.
func chat(ctx context.Context, p *faultline.Process, c *grpc.ClientConn, answered *int) {
	for ctx.Err() == nil {
		s, err := c.NewStream(ctx, &pipe, pipeMethod, grpc.WaitForReady(true))
		for i := 0; err == nil; i++ {
			if err = send(s, make([]byte, i%50*100)); err == nil {
				_, err = receive(s)
			}
			if err == nil {
				_ = p.Do(func() { *answered++ })
			}
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
