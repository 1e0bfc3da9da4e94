// SPDX-License-Identifier: MPL-2.0

package simnet_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// world returns a booted run with the nodes n1 to n<n> and a network.
func world(seed uint64, n int, c simnet.Config) (*kernel.Sim, *simnet.Network) {
	s := kernel.New(kernel.Config{Seed: seed, Record: true})
	nw := simnet.New(s, c)
	for i := range n {
		s.AddNode("n"+strconv.Itoa(i+1), nil, kernel.TagServer)
	}
	s.Start()
	s.RunUntil(0)
	return s, nw
}

type ping struct{ n int }

// BenchmarkMessage is one message from Send to its handler, with all of its
// records hashed: two nodes play ping-pong while others keep the queue busy.
func BenchmarkMessage(b *testing.B) {
	for _, pairs := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("inflight=%d", pairs), func(b *testing.B) {
			s := kernel.New(kernel.Config{Seed: 1, MaxEvents: b.N + 10*pairs})
			nw := simnet.New(s, simnet.Config{})
			left := b.N
			for i := range 2 * pairs {
				s.AddNode("n"+strconv.Itoa(i+1), func(n *kernel.Node) {
					nw.Handle(n, func(from kernel.NodeID, payload any) {
						if left--; left <= 0 {
							s.Stop()
						}
						nw.Send(n, from, payload)
					})
				})
			}
			s.Start()
			s.RunUntil(0)
			for i := range pairs {
				nw.Send(s.Nodes()[2*i], kernel.NodeID(2*i+2), &ping{i})
			}
			b.ReportAllocs()
			b.ResetTimer()
			s.Run()
		})
	}
}

// BenchmarkQueries is each topology query on 100 nodes in two halves.
func BenchmarkQueries(b *testing.B) {
	_, nw := world(1, 100, simnet.Config{})
	var left, right []kernel.NodeID
	for id := range kernel.NodeID(50) {
		left, right = append(left, id+1), append(right, id+51)
	}
	b.Run("partition-heal", func(b *testing.B) {
		for b.Loop() {
			nw.Partition(left, right)
			nw.Heal()
		}
	})
	nw.Partition(left, right)
	b.Run("reach", func(b *testing.B) {
		for b.Loop() {
			nw.Reach(1, 51)
		}
	})
	b.Run("components", func(b *testing.B) {
		for b.Loop() {
			nw.Components()
		}
	})
	b.Run("components-after-change", func(b *testing.B) {
		for b.Loop() {
			nw.Heal()
			nw.Partition(left, right)
			nw.Components()
		}
	})
	b.Run("cliques", func(b *testing.B) {
		for b.Loop() {
			nw.Cliques()
		}
	})
	b.Run("quorum-hubs", func(b *testing.B) {
		for b.Loop() {
			nw.QuorumHubs()
		}
	})
}
