// run

// SPDX-License-Identifier: MPL-2.0

// Callers prints the functions below those that the standard library calls back: some programs count them.
package main

import (
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"time"
)

func callers(what string) {
	fmt.Print(what, ":")
	for i := 1; ; i++ {
		pc, _, _, ok := runtime.Caller(i)
		if !ok {
			break
		}
		fmt.Print(" ", runtime.FuncForPC(pc).Name())
	}
	fmt.Println()
}

func main() {
	var once sync.Once
	once.Do(func() { callers("Once") })
	sync.OnceFunc(func() { callers("OnceFunc") })()
	pool := sync.Pool{New: func() any { callers("Pool"); return 1 }}
	pool.Get()
	var m sync.Map
	m.Store(1, 1)
	m.Range(func(_, _ any) bool { callers("Map.Range"); return true })
	var wg sync.WaitGroup
	wg.Go(func() { callers("WaitGroup.Go") })
	wg.Wait()
	done := make(chan bool)
	time.AfterFunc(0, func() { callers("time.AfterFunc"); close(done) })
	<-done
	next, stop := iter.Pull(iter.Seq[int](func(yield func(int) bool) { callers("iter.Pull"); yield(1) }))
	next()
	stop()
	slices.SortFunc([]int{2, 1}, func(a, b int) int { callers("SortFunc"); return a - b })
	defer func() { fmt.Println(recover()); callers("panic") }()
	close(done)
}
