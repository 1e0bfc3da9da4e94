// SPDX-License-Identifier: MPL-2.0

// Package etcdraft tests the raft library go.etcd.io/raft/v3 in faultline: a
// cluster of servers that keep their log on a simulated disk, replicate a
// key-value store and serve clients, while servers crash, links fail, members
// come and go, and raft's promises are checked after every event.
//
// [Test] runs a whole test. [New] builds the same cluster in a world of your own,
// beside nodes, faults and checks that you add.
//
// The package owns the host program around raft (write-ahead log, state machine,
// transport, clients, operator), the checks, and switches that break the host in
// known ways. It knows raft's public interface only. Everything runs as callbacks
// on the simulator's goroutine, so a seed replays exactly on every platform.
//
// raft draws its election timeouts from crypto/rand. [Test] therefore needs the
// seeded crypto/rand that faultline.Run sets up unless Options.NoCryptoSeed is set.
package etcdraft
