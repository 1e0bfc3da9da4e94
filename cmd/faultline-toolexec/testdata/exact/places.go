// SPDX-License-Identifier: MPL-2.0

package exact

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
)

// Set gets its value from the linker.
var Set = "unset"

// Place is the file, line and function of a caller's statement.
func Place() string {
	pc := make([]uintptr, 1)
	runtime.Callers(2, pc)
	f, _ := runtime.CallersFrames(pc).Next()
	return fmt.Sprintf("%s:%d %s", filepath.Base(f.File), f.Line, f.Function[strings.LastIndex(f.Function, "/")+1:])
}

// Places lists places next to everything that the wrapper changes.
func Places() (places []string) {
	var n atomic.Int64
	add := func(p string) int64 { places = append(places, p); return 1 }
	n.Add(add(Place())); n.Store(add(Place()))
	for n.Load() < 1 {
		add(Place())
	}
	func() {
		defer func() { recover(); add(Place()) }()
		for range 2 { n.Swap(add(Place())) }
		panic(n.Load())
	}()
	for i := range numbers(2) {
		atomic.AddInt64(new(int64(i)), add(Place()))
	}
	return append(places, Generic[atomic.Int32](add), Set, tagged)
}

// Generic is a place in a function with type parameters.
func Generic[T any](add func(string) int64) string {
	var p atomic.Pointer[T]
	p.Store(new(T)); add(Place())
	return Place()
}

func numbers(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// Unused is never called, so that coverage is below 100 per cent.
func Unused(n *atomic.Int64) bool { return n.CompareAndSwap(0, 1) }
