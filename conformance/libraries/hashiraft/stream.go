// SPDX-License-Identifier: MPL-2.0

package hashiraft

import (
	"net"
	"time"

	"github.com/hashicorp/raft"
)

// Network is what a server needs of the network. netsim.Host is one.
type Network interface {
	Listen(network, address string) (net.Listener, error)
	DialTimeout(network, address string, timeout time.Duration) (net.Conn, error)
}

// stream is raft's stream layer: a listener, a way to dial, and the address by which others know the server.
type stream struct {
	net.Listener
	network   Network
	advertise address
}

// Dial implements raft.StreamLayer.
func (s *stream) Dial(to raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	return s.network.DialTimeout("tcp", string(to), timeout)
}

// Addr implements net.Listener.
func (s *stream) Addr() net.Addr { return s.advertise }

// address is a host name and a port.
type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }
