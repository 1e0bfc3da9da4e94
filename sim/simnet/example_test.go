// SPDX-License-Identifier: MPL-2.0

package simnet_test

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simnet"
)

type request struct{ key string }

func (r request) Describe() string { return "get " + r.key }

func Example() {
	s := kernel.New(kernel.Config{Seed: 1, Record: true})
	nw := simnet.New(s, simnet.Config{Link: simnet.LinkConfig{Latency: 2 * time.Millisecond}})
	server := s.AddNode("server", func(n *kernel.Node) {
		nw.Handle(n, func(from kernel.NodeID, payload any) { nw.Send(n, from, "value of "+payload.(request).key) })
	}, kernel.TagServer)
	s.AddNode("client", func(n *kernel.Node) {
		nw.Handle(n, func(_ kernel.NodeID, payload any) { fmt.Println(s.Now(), payload) })
		nw.Send(n, server.ID(), request{"k1"})
	}, kernel.TagClient)
	s.Start()
	s.Run()
	for _, r := range s.Records()[2:] {
		fmt.Println(r.Seq, "<-", r.Cause, s.NodeByID(r.Node), r.Kind, r.Text)
	}
	// Output:
	// 0.004000000s value of k1
	// 3 <- 2 client net.send get k1
	// 4 <- 3 server net.deliver get k1
	// 5 <- 4 server net.send string
	// 6 <- 5 client net.deliver string
}

func ExampleNetwork_Partition() {
	s := kernel.New(kernel.Config{})
	nw := simnet.New(s, simnet.Config{})
	for _, name := range []string{"n1", "n2", "n3"} {
		s.AddNode(name, nil, kernel.TagServer)
	}
	nw.Partition([]kernel.NodeID{1}, []kernel.NodeID{2, 3})
	fmt.Println(nw.Components(), nw.QuorumHubs(), nw.Connected(1, 2))
	nw.Heal()
	fmt.Println(nw.Components(), nw.QuorumHubs(), nw.Connected(1, 2))
	// Output:
	// [[1] [2 3]] [2 3] false
	// [[1 2 3]] [1 2 3] true
}

func ExampleNetwork_Cut() {
	s := kernel.New(kernel.Config{})
	nw := simnet.New(s, simnet.Config{})
	s.AddNode("n1", nil)
	s.AddNode("n2", nil)
	nw.Cut(1, 2)
	fmt.Println(nw.Reach(1, 2), nw.Reach(2, 1), nw.Connected(1, 2))
	fmt.Println(nw.HealLink(1, 2), nw.Reach(1, 2))
	// Output:
	// false true false
	// true true
}

func ExampleNetwork_SetLink() {
	s := kernel.New(kernel.Config{})
	nw := simnet.New(s, simnet.Config{})
	n1 := s.AddNode("n1", nil)
	s.AddNode("n2", nil)
	s.Start()
	s.RunUntil(0)
	lossy := simnet.DefaultLink()
	lossy.DropPPM = 1_000_000
	if err := nw.SetLink(1, 2, lossy); err != nil {
		fmt.Println(err)
	}
	nw.Send(n1, 2, "never arrives")
	s.Run()
	fmt.Println(nw.LinkStats(1, 2).Dropped[simnet.Loss])
	fmt.Println(nw.SetLink(1, 2, simnet.LinkConfig{DropPPM: -1}))
	// Output:
	// 1
	// simnet: link DropPPM -1: 0 to 1000000 parts per million are accepted
}

func ExampleNetwork_SendRaw() {
	s := kernel.New(kernel.Config{})
	nw := simnet.New(s, simnet.Config{Link: simnet.LinkConfig{Latency: time.Millisecond}})
	s.AddNode("n1", nil)
	s.AddNode("n2", nil)
	s.Start()
	s.RunUntil(0)
	nw.SendRaw(1, 2, "syn", func() { fmt.Println("syn arrives at", s.Now()) })
	s.Run()
	// Output: syn arrives at 0.001000000s
}

func ExampleNetwork_Cliques() {
	s := kernel.New(kernel.Config{})
	nw := simnet.New(s, simnet.Config{})
	for _, name := range []string{"n1", "n2", "n3"} {
		s.AddNode(name, nil)
	}
	nw.Partition([]kernel.NodeID{1}, []kernel.NodeID{3}) // n2 still sees both
	fmt.Println(nw.Cliques(), nw.Components())
	// Output: [[1 2] [2 3]] [[1 2 3]]
}
