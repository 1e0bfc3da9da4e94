// SPDX-License-Identifier: MPL-2.0

// Package ingredients holds one small program for each thing in Go whose outcome the runtime decides by itself: who
// runs next, what a select picks, in which order a map is walked, what a random source says. Each program logs what it
// sees. In an exact run a seed gives every program one log; in a plain run most give another one each time.
//
// The programs know nothing of faultline: they are the code under test.
package ingredients

import (
	"fmt"
	"hash"
	"hash/fnv"
	"slices"
	"sync"
)

// Ingredient is one program.
type Ingredient struct {
	Name string
	Run  func(l *Log) // returns when all goroutines that it started have ended

	// NeedsSeam says that a plain bubble cannot run the program: it waits for time to pass while it holds a lock that
	// another wants, and a plain bubble keeps its clock still until that lock is free.
	NeedsSeam bool
}

// Everything is the name of the program that runs all others side by side.
const Everything = "everything"

// All returns every program, in the order of the tables below; the last one runs the others side by side.
func All() []Ingredient {
	all := slices.Concat(channels, locks, values, timers, flow, libraries)
	return append(all, Ingredient{Name: Everything, NeedsSeam: true, Run: sideBySide(all)})
}

func sideBySide(all []Ingredient) func(*Log) {
	return func(l *Log) {
		var wg sync.WaitGroup
		for _, in := range all {
			wg.Go(func() { in.Run(l) })
		}
		wg.Wait()
	}
}

// Log is the sequence of what a program saw, kept as a hash. Its methods may be called from any goroutine: the order of
// the calls is part of what is logged.
type Log struct {
	mu   sync.Mutex
	hash hash.Hash64
	n    int
}

// NewLog returns an empty log.
func NewLog() *Log { return &Log{hash: fnv.New64a()} }

// Add appends what a program saw.
func (l *Log) Add(values ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.hash, values...)
	l.n++
}

// String returns the hash and the number of entries.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprintf("%016x/%d", l.hash.Sum64(), l.n)
}

// crowd runs fn in n goroutines and waits for them.
func crowd(n int, fn func(id int)) {
	var wg sync.WaitGroup
	for id := range n {
		wg.Go(func() { fn(id) })
	}
	wg.Wait()
}
