// SPDX-License-Identifier: MPL-2.0

// Package simnet is the simulated network: messages between the nodes of a
// [kernel.Sim] over directed links that delay, lose, duplicate and reorder, and
// that partitions cut.
//
// Every pair of nodes has a link in each direction with its own [LinkConfig] and
// its own random stream net/link/<from>/<to>, so that traffic on one link never
// changes what another draws. A message is in the trace as net.send and then as
// net.deliver or net.drop, whose cause is the sending; the delivery is the cause
// of what the receiver does.
//
// The package owns messages and topology. It knows nothing of connections or
// byte streams, which are built on [Network.SendRaw], nor of fault plans. Like
// the kernel it belongs to one goroutine.
package simnet
