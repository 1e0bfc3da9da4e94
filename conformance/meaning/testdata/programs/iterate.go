// run

// SPDX-License-Identifier: MPL-2.0

// Iterate has iterators, type parameters, and loop variables that closures keep.
package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync/atomic"
)

func filter[T any](s iter.Seq[T], keep func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range s {
			if keep(v) && !yield(v) {
				return
			}
		}
	}
}

type number interface{ ~int32 | ~int64 }

func add[N number](total *N, load func(*N) N, values ...N) N {
	for _, v := range values {
		*total += v
	}
	return load(total)
}

func main() {
	squares := map[int]int{}
	var closures []func() int
	for i := range 6 {
		squares[i] = i * i
		closures = append(closures, func() int { i++; return i })
	}
	odd := filter(maps.Keys(squares), func(i int) bool { return i%2 == 1 })
	fmt.Println(slices.Sorted(odd))
	for i, f := range closures {
		defer func() { fmt.Print(i, f(), " ") }()
	}
	next, stop := iter.Pull(slices.Values([]string{"a", "b"}))
	for v, ok := next(); ok; v, ok = next() {
		fmt.Println(v)
	}
	stop()
	var total int64
	fmt.Println(add(&total, atomic.LoadInt64, 1, 2, 3))
}
