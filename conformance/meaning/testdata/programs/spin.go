// run

// SPDX-License-Identifier: MPL-2.0

// Spin waits with atomic operations of every form, in loops of every form.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type lock struct{ atomic.Int32 }

func (l *lock) with(f func()) {
	for !l.CompareAndSwap(0, 1) {
	}
	defer l.Store(0)
	f()
}

type box[T any] struct{ p atomic.Pointer[T] }

func (b *box[T]) wait() *T {
	load := b.p.Load
	for {
		if v := load(); v != nil {
			return v
		}
	}
}

func main() {
	var l lock
	var wg sync.WaitGroup
	total, order := 0, uint32(0)
	for i := range 4 {
		wg.Go(func() {
			for atomic.LoadUint32(&order) != uint32(i) {
			}
			l.with(func() { total += i; fmt.Println("turn", i) })
			atomic.AddUint32(&order, 1)
		})
	}
	wg.Wait()
	var b box[string]
	go func() { s := fmt.Sprint("total ", total); b.p.Store(&s) }()
	fmt.Println(*b.wait())
	left := 3
again:
	if left > 0 {
		left--
		goto again
	}
	fmt.Println("left", left)
}
