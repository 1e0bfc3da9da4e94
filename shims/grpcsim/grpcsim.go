// SPDX-License-Identifier: MPL-2.0

// Package grpcsim runs gRPC over the simulated network: clients that dial through a
// [netsim.Host], and listeners for servers. The gRPC library is the real one, with its
// HTTP/2, flow control, deadlines and reconnects, all in virtual time.
//
// The package knows networks and gRPC, and nothing of tests, disks and faults. It is a
// module of its own, so that who does not need gRPC does not get it.
package grpcsim

import (
	"context"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/hmdsefi/faultline/shims/netsim"
)

// NewClient returns a gRPC client that reaches addr through h. addr is "host:port" as
// for [netsim.Host.Dial]: host is the name of a node. As with [grpc.NewClient], no
// connection is made before the first call. The errors are those of grpc.NewClient.
//
// The client uses no transport security, and its reconnects back off from 1 s to 2 min
// without jitter, which keeps the times of a run easy to read. The options that
// are given come after these and override them. The caller closes the client, at the
// latest when its process ends: its goroutines would be left over otherwise.
func NewClient(h *netsim.Host, addr string, opts ...grpc.DialOption) (*grpc.ClientConn, error) {
	// The default resolver would look the name up in the DNS of the real world.
	return grpc.NewClient("passthrough:///"+addr, append(defaults(h), opts...)...)
}

func defaults(h *netsim.Host) []grpc.DialOption {
	retry := backoff.DefaultConfig
	retry.Jitter = 0
	return []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: retry}),
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
			return h.DialContext(ctx, "tcp", addr)
		}),
	}
}

// Listen returns a listener for [grpc.Server.Serve] on a TCP address of h, such as
// ":50051". The errors are those of [netsim.Host.Listen].
func Listen(h *netsim.Host, address string) (net.Listener, error) {
	return h.Listen("tcp", address)
}
