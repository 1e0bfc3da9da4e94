// Package order prints the order in which operands are evaluated.
package order

import (
	"fmt"
	"sync/atomic"
)

func say(s string, v int64) int64 {
	fmt.Print(s, " ")
	return v
}

func at(s string, p *atomic.Int64) *atomic.Int64 {
	fmt.Print(s, " ")
	return p
}

func two(s string) (int64, int64) { return say(s, 1), say(s+"'", 2) }

func Main() {
	var a, b atomic.Int64
	var old int64
	at("a", &a).Store(say("v", 1) + at("b", &b).Load() + say("w", 2))
	fmt.Println(a.Load())
	fmt.Println(at("x", &a).CompareAndSwap(say("old", 3), say("new", 1)), at("y", &a).Add(say("d", 1)))
	fmt.Println(at("z", &a).CompareAndSwap(two("f")), a.Load())
	fmt.Println(atomic.AddInt64(&old, say("g", 4)), atomic.CompareAndSwapInt64(&old, say("h", 4), at("i", &b).Add(2)), old)
	if say("j", 0) > 0 && a.Load() > 0 || b.CompareAndSwap(2, say("k", 5)) {
		fmt.Println(b.Load())
	}
	for i := int64(0); i < at("l", &b).Load(); i += 2 {
		defer at("m", &a).Store(say("n", i))
	}
	list := []atomic.Int64{{}, {}}
	i := 0
	list[i].Add(say("o", 1))
	i++
	list[i].Store(list[i-1].Swap(9) + 1)
	fmt.Println(list[0].Load(), list[1].Load())
	switch a.Load() {
	case b.Load(), say("p", 2):
		fmt.Println("case")
	default:
		fmt.Println("default")
	}
	results := make(chan int64, 2)
	select {
	case results <- a.Add(1):
		fmt.Println(<-results)
	}
	load, add := a.Load, atomic.AddInt64
	a.Store(41)
	fmt.Println(load(), add(&old, 1), (*atomic.Int64).Add(&a, 1))
	done := make(chan bool)
	go func() {
		defer close(done)
		defer a.Add(1)
	}()
	<-done
	fmt.Println(a.Load())
}
