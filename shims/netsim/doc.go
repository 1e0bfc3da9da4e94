// SPDX-License-Identifier: MPL-2.0

// Package netsim gives the goroutines of a process a network: net.Conn,
// net.Listener and net.PacketConn over simulated TCP and UDP.
//
// A [Stack] is the protocol stack of every node of a simulation. A [Host] is what
// one incarnation of a process sees of it; its methods are those of package net, and
// net/http, crypto/tls and gRPC work over what they return. TCP is made of segments
// that travel over package simnet, so the faults of its links act on them: loss,
// duplicates, reordering, delay, partitions and nodes that are down. Handshake,
// retransmission with backoff, flow control, half-close, resets, keep-alive and a
// listen backlog are there; congestion control is not.
//
// The node with id n has the addresses 10.0.x.y and fd00::n, where x and y are the
// two low bytes of n. Node names resolve as host names, and localhost, 127.0.0.0/8
// and ::1 are the node itself.
//
// An event-style node, which has handlers instead of sockets, exchanges UDP datagrams
// with processes as messages of type [Datagram]. TCP to it is refused.
//
// When a node crashes, its peers are told nothing, as with a machine that loses
// power: they find out when it answers a segment with a reset after its restart, or
// by a timeout. When a process ends on a node that stays up, its connections are
// closed. Either way, what the dead incarnation still does with its connections fails
// with an error that matches net.ErrClosed and driver.ErrGone.
//
// All state belongs to the goroutine of the driver. What blocks on a real socket is a
// driver call; what does not is left to the driver without waiting for it. The package
// starts no goroutine. It knows nothing of tests, disks and faults.
package netsim
