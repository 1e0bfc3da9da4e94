// SPDX-License-Identifier: MPL-2.0

package grpcsim_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sim/fault"
)

// A server that crashes and restarts is found again by a client that knows nothing of it.
func TestReconnectAfterCrash(t *testing.T) {
	run(t, options(10, 10*time.Second), healthy, func(ctx context.Context, p *faultline.Process) error {
		return connect(p, func(c *grpc.ClientConn) error {
			for _, want := range []struct {
				at   time.Duration
				code codes.Code
			}{{500 * time.Millisecond, codes.OK}, {1500 * time.Millisecond, codes.DeadlineExceeded}, {9 * time.Second, codes.OK}} {
				time.Sleep(want.at - time.Since(start))
				got, err := check(ctx, c, 300*time.Millisecond)
				if status.Code(err) != want.code || err == nil && got != healthpb.HealthCheckResponse_SERVING {
					return fmt.Errorf("at %v: %v, %v; want %v", want.at, got, err, want.code)
				}
			}
			return nil
		})
	}, crash)
}

// start is when a run begins.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// crash takes the server down from 1 s to 2 s.
func crash(w *faultline.World) {
	w.Plan(fault.Script(
		fault.Event{At: 1 * time.Second, Kind: fault.KindCrash, Node: "kv"},
		fault.Event{At: 2 * time.Second, Kind: fault.KindRestart, Node: "kv"},
	))
}

// A watch ends when the server crashes, and a new one says that it serves again.
func TestWatchAcrossACrash(t *testing.T) {
	run(t, options(5, 10*time.Second), healthy, func(ctx context.Context, p *faultline.Process) error {
		return connect(p, func(c *grpc.ClientConn) error {
			first, err := watch(ctx, c)
			if status.Code(err) != codes.Unavailable || first != 1 {
				return fmt.Errorf("the first watch got %d answers and then %v", first, err)
			}
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			second, err := watch(ctx, c)
			if status.Code(err) != codes.DeadlineExceeded || second != 1 {
				return fmt.Errorf("the second watch got %d answers and then %v", second, err)
			}
			return nil
		}, grpc.WithKeepaliveParams(probing))
	}, crash)
}

// watch counts the answers of a stream of the health service until it ends.
func watch(ctx context.Context, c *grpc.ClientConn) (answers int, err error) {
	s, err := healthpb.NewHealthClient(c).Watch(ctx, &healthpb.HealthCheckRequest{}, grpc.WaitForReady(true))
	if err != nil {
		return 0, err
	}
	for {
		r, err := s.Recv()
		if err != nil {
			return answers, err
		}
		if r.Status != healthpb.HealthCheckResponse_SERVING {
			return answers, fmt.Errorf("the service is %v", r.Status)
		}
		answers++
	}
}

// A call into a partition ends at its deadline, not before and not after. After the partition the same client works.
func TestDeadlineInAPartition(t *testing.T) {
	const timeout = 700 * time.Millisecond
	run(t, options(5, time.Minute), healthy, func(ctx context.Context, p *faultline.Process) error {
		return connect(p, func(c *grpc.ClientConn) error {
			if _, err := check(ctx, c, timeout); err != nil {
				return fmt.Errorf("before: %w", err)
			}
			time.Sleep(2*time.Second - time.Since(start))
			begin := time.Now()
			_, err := check(ctx, c, timeout)
			if took := time.Since(begin); status.Code(err) != codes.DeadlineExceeded || took != timeout {
				return fmt.Errorf("in the partition: %v after %v", err, took)
			}
			time.Sleep(20*time.Second - time.Since(start))
			if _, err := check(ctx, c, 10*time.Second); err != nil {
				return fmt.Errorf("after: %w", err)
			}
			return nil
		})
	}, func(w *faultline.World) {
		w.Plan(fault.Script(
			fault.Event{At: 1 * time.Second, Kind: fault.KindIsolate, Node: "kv"},
			fault.Event{At: 5 * time.Second, Kind: fault.KindHeal},
		))
	})
}

// The server learns of a client's cancellation.
func TestCancellation(t *testing.T) {
	var ended error
	var at time.Duration
	server := func(ctx context.Context, p *faultline.Process) error {
		return serve(ctx, p, registerPipe(func(s grpc.ServerStream) error {
			<-s.Context().Done()
			ended, at = s.Context().Err(), time.Since(start)
			return s.Context().Err()
		}))
	}
	run(t, options(3, 10*time.Second), server, func(ctx context.Context, p *faultline.Process) error {
		return connect(p, func(c *grpc.ClientConn) error {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second-time.Since(start), cancel)
			s, err := c.NewStream(ctx, &pipe, pipeMethod)
			if err != nil {
				return err
			}
			if _, err := receive(s); status.Code(err) != codes.Canceled {
				return fmt.Errorf("the client got %v", err)
			}
			return nil
		})
	}, func(w *faultline.World) {
		ended, at = nil, 0
		w.Final("the server knows", func() error {
			if ended != context.Canceled || at <= time.Second || at > 1100*time.Millisecond {
				return fmt.Errorf("the stream ended on the server with %v at %v", ended, at)
			}
			return nil
		})
	})
}

// A sender waits for a receiver that does not read: what is on its way is bounded by the window of the stream.
func TestBackpressure(t *testing.T) {
	const count, size, window = 100, 8 << 10, 64 << 10
	var before int // sent while the receiver did not read
	server := func(ctx context.Context, p *faultline.Process) error {
		return serve(ctx, p, registerPipe(func(s grpc.ServerStream) error {
			time.Sleep(5*time.Second - time.Since(start))
			return echo(s)
		}), grpc.InitialWindowSize(window)) // a window that is given does not grow
	}
	run(t, options(3, 30*time.Second), server, func(ctx context.Context, p *faultline.Process) error {
		return connect(p, func(c *grpc.ClientConn) error {
			s, err := c.NewStream(ctx, &pipe, pipeMethod)
			if err != nil {
				return err
			}
			sent := make(chan error, 1)
			go func() {
				for i := range count {
					if err := send(s, binary.BigEndian.AppendUint64(make([]byte, size), uint64(i))); err != nil {
						sent <- err
						return
					}
					if time.Since(start) < 5*time.Second {
						before++
					}
				}
				sent <- s.CloseSend()
			}()
			for i := range uint64(count) {
				data, err := receive(s)
				if err != nil || binary.BigEndian.Uint64(data[size:]) != i {
					return fmt.Errorf("message %d: %d bytes, %v", i, len(data), err)
				}
			}
			_, err = receive(s)
			if err == io.EOF {
				err = nil
			}
			return errors.Join(err, <-sent)
		})
	}, func(w *faultline.World) {
		before = 0
		w.Final("the sender waited", func() error {
			// As much again as the window may wait in the sender, and a message that is half in it.
			if sent := before * size; sent < window || sent > 2*window+2*size {
				return fmt.Errorf("%d messages of %d bytes were sent to a receiver that did not read", before, size)
			}
			return nil
		})
	})
}

// Options that are given override those of NewClient. The client is refused at first, since the server begins late.
func TestOptionsOverride(t *testing.T) {
	late := func(ctx context.Context, p *faultline.Process) error {
		time.Sleep(2 * time.Second)
		return healthy(ctx, p)
	}
	at := func(base time.Duration) (connected time.Duration) {
		t.Run(base.String(), func(t *testing.T) {
			run(t, options(1, 30*time.Second), late, func(ctx context.Context, p *faultline.Process) error {
				return connect(p, func(c *grpc.ClientConn) error {
					ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
					defer cancel()
					_, err := healthpb.NewHealthClient(c).Check(ctx, &healthpb.HealthCheckRequest{}, grpc.WaitForReady(true))
					connected = time.Since(start)
					return err
				}, grpc.WithConnectParams(grpc.ConnectParams{
					Backoff: backoff.Config{BaseDelay: base, Multiplier: 1, MaxDelay: base}, MinConnectTimeout: time.Second,
				}))
			}, nil)
		})
		return connected
	}
	if fast, slow := at(100*time.Millisecond), at(7*time.Second); fast > 3*time.Second || slow < 5*time.Second {
		t.Errorf("a client that retries each 0.1 s was connected at %v, one that retries each 7 s at %v", fast, slow)
	}
}
