// SPDX-License-Identifier: MPL-2.0

package grpcsim_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/shims/grpcsim"
)

// options are those of a goroutine-mode test that leaves nothing behind.
func options(seeds int, d time.Duration) faultline.Options {
	return faultline.Options{Mode: faultline.ModeGoroutine, Seeds: seeds, Duration: d, FailOnLeak: true}
}

// serve runs a gRPC server on port 50051 until ctx ends.
func serve(ctx context.Context, p *faultline.Process, register func(s *grpc.Server), opts ...grpc.ServerOption) error {
	ln, err := grpcsim.Listen(p.Net, ":50051")
	if err != nil {
		return err
	}
	s := grpc.NewServer(opts...)
	register(s)
	stop := context.AfterFunc(ctx, s.Stop)
	defer stop()
	if err := s.Serve(ln); ctx.Err() == nil {
		return err
	}
	return nil
}

// healthy is a server process whose service is gRPC's own health service.
func healthy(ctx context.Context, p *faultline.Process) error {
	return serve(ctx, p, func(s *grpc.Server) { healthpb.RegisterHealthServer(s, health.NewServer()) })
}

// connect gives fn a client of the node kv for as long as fn runs.
func connect(p *faultline.Process, fn func(c *grpc.ClientConn) error, opts ...grpc.DialOption) error {
	c, err := grpcsim.NewClient(p.Net, "kv:50051", opts...)
	if err != nil {
		return err
	}
	return errors.Join(fn(c), c.Close())
}

// check asks the health service once.
func check(ctx context.Context, c *grpc.ClientConn, timeout time.Duration) (healthpb.HealthCheckResponse_ServingStatus, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := healthpb.NewHealthClient(c).Check(ctx, &healthpb.HealthCheckRequest{})
	return r.GetStatus(), err
}

// pipe is a service with one method, a stream of byte strings in both directions, made without generated code.
var pipe = grpc.StreamDesc{StreamName: "Pipe", ServerStreams: true, ClientStreams: true}

const pipeMethod = "/test/Pipe"

// registerPipe gives the service to a server; each stream is handled by fn.
func registerPipe(fn func(s grpc.ServerStream) error) func(*grpc.Server) {
	return func(s *grpc.Server) {
		stream := pipe
		stream.Handler = func(_ any, s grpc.ServerStream) error { return fn(s) }
		s.RegisterService(&grpc.ServiceDesc{ServiceName: "test", HandlerType: (*any)(nil), Streams: []grpc.StreamDesc{stream}}, nil)
	}
}

// messages is either end of a pipe.
type messages interface {
	SendMsg(m any) error
	RecvMsg(m any) error
}

func send(s messages, data []byte) error { return s.SendMsg(wrapperspb.Bytes(data)) }

func receive(s messages) ([]byte, error) {
	var m wrapperspb.BytesValue
	err := s.RecvMsg(&m)
	return m.GetValue(), err
}

// echo sends back whatever comes.
func echo(s grpc.ServerStream) error {
	for {
		data, err := receive(s)
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := send(s, data); err != nil {
			return err
		}
	}
}

// run runs a world with the server kv and one client.
func run(t *testing.T, opts faultline.Options, server, client func(context.Context, *faultline.Process) error, more func(w *faultline.World)) {
	t.Helper()
	faultline.Run(t, opts, func(w *faultline.World) {
		w.AddProcess("kv", server)
		w.AddClientProcess("c1", client)
		if more != nil {
			more(w)
		}
	})
}
