//go:build go1.21

// Package treiber is a stack and a queue of pointers with type parameters.
package treiber

import (
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
)

type stack[T any] struct{ head atomic.Pointer[node[T]] }

type node[T any] struct {
	value T
	next  *node[T]
}

func (s *stack[T]) push(v T) {
	n := &node[T]{value: v}
	for {
		n.next = s.head.Load()
		if s.head.CompareAndSwap(n.next, n) {
			return
		}
	}
}

func (s *stack[T]) pop() (v T, ok bool) {
	for {
		n := s.head.Load()
		if n == nil {
			return v, false
		}
		if s.head.CompareAndSwap(n, n.next) {
			return n.value, true
		}
	}
}

type alias = atomic.Pointer[int]

type named *int

func Main() {
	var s stack[int]
	var wg sync.WaitGroup
	for g := 0; g < 4; g++ {
		g := g
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 10; i++ {
				s.push(10*g + i)
			}
		}()
	}
	wg.Wait()
	var all []int
	for v, ok := s.pop(); ok; v, ok = s.pop() {
		all = append(all, v)
	}
	sort.Ints(all)
	fmt.Println(all, s.head.Load() == nil)
	var p alias
	x := 5
	p.Store(&x)
	fmt.Println(*p.Swap(nil), p.Load(), p.CompareAndSwap(nil, named(&x)), *p.Load())
	p.Store(named(&x))
	p.Store(nil)
	type local struct{ s string }
	var l atomic.Pointer[local]
	fmt.Println(l.CompareAndSwap(nil, &local{"a"}), l.Load().s, l.Swap(&local{"b"}).s)
	load := l.Load
	defer l.Store(nil)
	fmt.Println(load().s)
}
