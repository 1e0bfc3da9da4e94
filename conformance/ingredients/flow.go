// SPDX-License-Identifier: MPL-2.0

package ingredients

import (
	"iter"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

var flow = []Ingredient{
	{Name: "Gosched loop", Run: goschedLoop},
	{Name: "tree of goroutines", Run: goroutineTree},
	{Name: "iter.Pull", Run: iterPull},
	{Name: "garbage", Run: garbage},
	{Name: "forced collection", Run: forcedCollection},
	{Name: "CPU burst", Run: cpuBurst},
	{Name: "deep stack", Run: deepStack},
	{Name: "Goexit and recovered panic", Run: goexit},
	{Name: "LockOSThread", Run: lockedThread},
}

func goschedLoop(l *Log) {
	crowd(10, func(id int) {
		for range 20 {
			runtime.Gosched()
			l.Add(id)
		}
	})
}

func goroutineTree(l *Log) {
	var wg sync.WaitGroup
	var grow func(depth, id int)
	grow = func(depth, id int) {
		l.Add(depth, id)
		if depth == 5 {
			return
		}
		for child := range 2 {
			wg.Go(func() { grow(depth+1, 2*id+child) })
		}
	}
	grow(0, 1)
	wg.Wait()
}

func iterPull(l *Log) {
	numbers := func(id int) iter.Seq[int] {
		return func(yield func(int) bool) {
			for i := range 15 {
				runtime.Gosched()
				if !yield(id*100 + i) {
					return
				}
			}
		}
	}
	crowd(4, func(id int) {
		next, stop := iter.Pull(numbers(id))
		defer stop()
		for range 10 {
			v, ok := next()
			l.Add(v, ok)
		}
	})
}

func garbage(l *Log) {
	crowd(4, func(id int) {
		var kept [][]byte
		for i := range 60 {
			kept = append(kept, make([]byte, 32<<10))
			if len(kept) > 8 {
				kept = slices.Delete(kept, 0, 4)
			}
			if i%10 == 0 {
				l.Add(id, i)
				runtime.Gosched()
			}
		}
	})
}

func forcedCollection(l *Log) {
	crowd(3, func(id int) {
		for i := range 4 {
			l.Add(id, i)
			runtime.GC()
		}
		debug.FreeOSMemory()
		l.Add(id)
	})
}

// cpuBurst computes for longer than the scheduler lets a goroutine run undisturbed.
func cpuBurst(l *Log) {
	crowd(3, func(id int) {
		x := uint64(id + 1)
		for range 2 {
			for range 8_000_000 {
				x = x*6364136223846793005 + 1442695040888963407
			}
			l.Add(id, x)
			runtime.Gosched()
		}
	})
}

func deepStack(l *Log) {
	var down func(n int) int
	down = func(n int) int {
		var pad [64]int
		pad[n%64] = n
		if n == 0 {
			return 0
		}
		return down(n-1) + pad[n%64]
	}
	crowd(6, func(id int) {
		for i := range 3 {
			l.Add(id, down(500*(i+1)))
			runtime.Gosched()
		}
	})
}

func goexit(l *Log) {
	crowd(8, func(id int) {
		defer func() { l.Add(id, recover()) }()
		runtime.Gosched()
		if id%2 == 0 {
			runtime.Goexit()
		}
		panic(id)
	})
}

func lockedThread(l *Log) {
	crowd(4, func(id int) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for range 5 {
			time.Sleep(time.Millisecond)
			l.Add(id)
		}
	})
}
