// SPDX-License-Identifier: MPL-2.0

package main

import (
	"os"
	"runtime/pprof"
	"sync"
	"time"
)

func init() {
	register("Always", Always)
	register("InAnOrder", InAnOrder)
	register("Never", Never)
	register("Panics", Panics)
	register("PicksItsCopy", PicksItsCopy)
	register("Spins", Spins)
}

// Always leaves a goroutine behind.
func Always() {
	prof := pprof.Lookup("goroutineleak")
	defer func() { prof.WriteTo(os.Stdout, 2) }()
	go func() { <-make(chan int) }()
}

// InAnOrder leaves goroutines behind if both take their first lock before either takes its second.
func InAnOrder() {
	prof := pprof.Lookup("goroutineleak")
	defer func() { prof.WriteTo(os.Stdout, 2) }()
	var a, b sync.Mutex
	both := func(first, second *sync.Mutex) {
		first.Lock()
		second.Lock()
		second.Unlock()
		first.Unlock()
	}
	go both(&a, &b)
	go both(&b, &a)
}

// Never leaves anything behind but a goroutine that only waits for time.
func Never() {
	prof := pprof.Lookup("goroutineleak")
	defer func() { prof.WriteTo(os.Stdout, 2) }()
	done := make(chan bool)
	go close(done)
	<-done
	go time.Sleep(time.Hour)
}

// Panics does so in a goroutine.
func Panics() {
	prof := pprof.Lookup("goroutineleak")
	defer func() { prof.WriteTo(os.Stdout, 2) }()
	go func() { panic("found") }()
}

// PicksItsCopy leaves a goroutine behind in the fourth copy only.
func PicksItsCopy() {
	prof := pprof.Lookup("goroutineleak")
	defer func() { prof.WriteTo(os.Stdout, 2) }()
	for i := 0; i < 5; i++ {
		if i == 3 {
			go func() { select {} }()
		}
	}
}

// Spins never gives up the processor.
func Spins() {
	prof := pprof.Lookup("goroutineleak")
	defer func() { prof.WriteTo(os.Stdout, 2) }()
	go spin(make(chan int))
}

func spin(never chan int) {
	for {
		select {
		case <-never:
		default:
		}
	}
}
