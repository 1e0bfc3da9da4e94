// SPDX-License-Identifier: MPL-2.0

package kernel_test

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

func Example() {
	s := kernel.New(kernel.Config{Seed: 1})
	s.AddNode("n1", func(n *kernel.Node) {
		var tick func()
		tick = func() {
			fmt.Printf("%v: incarnation %d ticks\n", s.Now(), n.Inc())
			n.After(time.Second, tick)
		}
		n.After(time.Second, tick)
	}, kernel.TagServer)
	s.Start()
	s.At(kernel.Time(1500*time.Millisecond), func() { s.Node("n1").Crash() })
	s.At(kernel.Time(1700*time.Millisecond), func() { s.Node("n1").Restart() })
	s.RunUntil(kernel.Time(3 * time.Second))
	fmt.Println(s.Events(), "events")
	// Output:
	// 1.000000000s: incarnation 1 ticks
	// 2.700000000s: incarnation 2 ticks
	// 5 events
}

func ExampleSim_AtFront() {
	s := kernel.New(kernel.Config{})
	s.At(10, func() { fmt.Println("ordinary event") })
	s.AtFront(10, func() { fmt.Println("fault") })
	s.Run()
	// Output:
	// fault
	// ordinary event
}

func ExampleSim_Cancel() {
	s := kernel.New(kernel.Config{})
	timer := s.After(time.Second, func() { fmt.Println("never") })
	fmt.Println(s.Cancel(timer), s.Cancel(timer))
	s.Run()
	// Output: true false
}

func ExampleSim_Begin() {
	s := kernel.New(kernel.Config{Record: true})
	s.At(0, func() {
		s.Begin(nil, "demo.request", "get k1")
		s.After(time.Millisecond, func() { s.Emit(nil, "demo.answer", "v1") })
	})
	s.Run()
	for _, r := range s.Records() {
		fmt.Printf("%d %v %s %q, caused by %d\n", r.Seq, r.At, r.Kind, r.Text, r.Cause)
	}
	fmt.Println(kernel.HashRecords(s.Records()) == s.TraceHash())
	// Output:
	// 1 0.000000000s demo.request "get k1", caused by 0
	// 2 0.001000000s demo.answer "v1", caused by 1
	// true
}

func ExampleSim_Fail() {
	s := kernel.New(kernel.Config{})
	balance := 10
	s.OnEvent(func() {
		if balance < 0 {
			s.Fail(fmt.Errorf("balance is %d", balance))
		}
	})
	for i := range 5 {
		s.At(kernel.Time(i+1), func() { balance -= 4 })
	}
	s.Run()
	f := s.Failure()
	fmt.Printf("%v at t=%v (event %d)\n", f.Err, f.At, f.Event)
	// Output: balance is -2 at t=0.000000003s (event 3)
}

func ExampleNode_Pause() {
	s := kernel.New(kernel.Config{})
	n := s.AddNode("n1", func(n *kernel.Node) {
		for _, d := range []time.Duration{2, 1, 3} {
			n.After(d*time.Second, func() { fmt.Printf("the %v timer runs at %v\n", d*time.Second, s.Now()) })
		}
	})
	s.Start()
	s.At(1, func() { n.Pause() })
	s.At(kernel.Time(10*time.Second), func() { n.Resume() })
	s.Run()
	// Output:
	// the 1s timer runs at 10.000000000s
	// the 2s timer runs at 10.000000000s
	// the 3s timer runs at 10.000000000s
}

func ExampleNode_SetDrift() {
	s := kernel.New(kernel.Config{})
	n := s.AddNode("n1", nil)
	n.SetDrift(200) // ppm
	n.JumpClock(-5 * time.Second)
	s.RunUntil(kernel.Time(time.Hour))
	fmt.Println(n.Now().Format("15:04:05.000"), n.Offset())
	// Output: 00:59:55.720 -4.28s
}

func ExampleNode_Do() {
	s := kernel.New(kernel.Config{})
	n := s.AddNode("n1", nil)
	s.Start()
	s.Run()
	n.Pause()
	n.Do(1, func() { fmt.Println("after the pause") })
	n.Resume()
	s.Run()
	n.Crash()
	n.Restart()
	n.Do(1, func() { fmt.Println("never: incarnation 1 is gone") })
	// Output: after the pause
}

func ExampleUniform() {
	r := kernel.New(kernel.Config{Seed: 7}).Rand("workload/dice")
	for range 3 {
		fmt.Print(kernel.Uniform(r, 1, 6), " ")
	}
	// Output: 6 4 5
}
