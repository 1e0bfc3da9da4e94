// SPDX-License-Identifier: MPL-2.0

package fixture

import (
	"context"
	"iter"
	"reflect"
	"sync"
)

type queue struct {
	c chan int // want channel
}

type signal chan struct{} // want channel

func start(q *queue, seq iter.Seq[int]) {
	go func() {}()  // want goroutine
	q.c <- 1        // want channel
	<-q.c           // want channel
	close(q.c)      // want channel
	for range q.c { // want channel
	}
	select {} // want channel

	var wg sync.WaitGroup
	wg.Go(func() {}) // want goroutine
	wg.Wait()

	next, stop := iter.Pull(seq) // want goroutine
	next()
	stop()

	context.AfterFunc(context.Background(), func() {}) // want goroutine
	reflect.Select(nil)                                // want channel
}

// Locks are no choice of anybody's: a single goroutine never waits for one.
type locked struct {
	mu sync.Mutex
	n  int
}

func (l *locked) add() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
}
