// SPDX-License-Identifier: MPL-2.0

// Package exact is a user's module. What its goroutines log depends on nearly everything that Go's runtime decides.
package exact

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

// Scene starts goroutines that contend, and logs in which order what happened.
func Scene(log func(format string, args ...any)) {
	var turn, winner atomic.Int64
	var all sync.WaitGroup
	results := make(chan int)
	words := map[string]int{"a": 1, "b": 2, "c": 3, "d": 4}
	for worker := range 4 {
		all.Go(func() {
			for turn.Load() < int64(worker)/2 { // spins
			}
			for word, n := range words {
				select {
				case results <- n:
					log("worker %d sent %s", worker, word)
				case n := <-results:
					log("worker %d received %d", worker, n)
				default:
					log("worker %d drew %d", worker, rand.IntN(100))
				}
			}
			turn.Store(turn.Load() + 1) // may lose an update
			winner.CompareAndSwap(0, int64(worker)+1)
		})
	}
	turn.Add(1)
	all.Wait()
	log("turn %d, winner %d", turn.Load(), winner.Load())
}
