// SPDX-License-Identifier: MPL-2.0

package grpcsim_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/shims/grpcsim"
)

// A test with a gRPC server and a client. Each is ordinary code; only the listener and
// the client's connection come from the simulated network.
func Example() {
	_ = func(t *testing.T) { // func TestHealth
		opts := faultline.Options{Mode: faultline.ModeGoroutine, Duration: 10 * time.Second}
		faultline.Run(t, opts, func(w *faultline.World) {
			w.AddProcess("kv", func(ctx context.Context, p *faultline.Process) error {
				ln, err := grpcsim.Listen(p.Net, ":50051")
				if err != nil {
					return err
				}
				s := grpc.NewServer()
				healthpb.RegisterHealthServer(s, health.NewServer())
				stop := context.AfterFunc(ctx, s.Stop)
				defer stop()
				return s.Serve(ln)
			})
			w.AddClientProcess("c1", func(ctx context.Context, p *faultline.Process) error {
				c, err := grpcsim.NewClient(p.Net, "kv:50051")
				if err != nil {
					return err
				}
				defer c.Close()
				_, err = healthpb.NewHealthClient(c).Check(ctx, &healthpb.HealthCheckRequest{})
				return err
			})
		})
	}
}
