// SPDX-License-Identifier: MPL-2.0

package sched

import (
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// outside are operations that the wrapper changes. Outside an exact run they must cost what they cost in a plain build: compare the
// two builds of BenchmarkOutside.
var outside = map[string]func(n int){
	"Mutex":           onceEach(func(mu *sync.Mutex) { mu.Lock(); held++; mu.Unlock() }),
	"RWMutex.RLock":   onceEach(func(mu *sync.RWMutex) { mu.RLock(); held++; mu.RUnlock() }),
	"RWMutex.Lock":    onceEach(func(mu *sync.RWMutex) { mu.Lock(); held++; mu.Unlock() }),
	"Once":            onceEach(func(o *sync.Once) { o.Do(func() { held++ }) }),
	"WaitGroup":       onceEach(func(wg *sync.WaitGroup) { wg.Add(1); wg.Done() }),
	"Pool":            onceEach(func(p *sync.Pool) { v, _ := p.Get().(*int); p.Put(v) }),
	"sync.Map":        onceEach(func(m *sync.Map) { m.Load(held) }),
	"atomic.Load":     onceEach(func(v *atomic.Int64) { held += int(v.Load()) }),
	"atomic.Add":      onceEach(func(v *atomic.Int64) { v.Add(1) }),
	"atomic.AddInt64": onceEach(func(v *int64) { atomic.AddInt64(v, 1) }),
	"channel":         withChannel,
	"select":          withSelect,
	"map[int]int":     withMap(func(i int) int { return i }),
	"map[string]int":  withMap(func(i int) string { return string(rune('a'+i)) + "key" }),
	"map[*int]int":    withMap(func(i int) *int { return &integers[i] }),
	"map[any]int":     withMap(func(i int) any { return i }),
	"rand":            func(n int) { repeat(n, func() { held += rand.Int() }) },
	"maphash":         func(n int) { repeat(n, func() { held += int(maphash.String(hashSeed, "some key")) }) },
}

var (
	held     int
	integers [64]int
	hashSeed = maphash.MakeSeed()
)

func BenchmarkOutside(b *testing.B) {
	for name, work := range outside {
		b.Run(name, func(b *testing.B) { work(b.N) })
	}
}

func repeat(n int, f func()) {
	for range n {
		f()
	}
}

// onceEach applies f to one T over and over.
func onceEach[T any](f func(*T)) func(n int) {
	return func(n int) {
		x := new(T)
		repeat(n, func() { f(x) })
	}
}

func withChannel(n int) {
	c := make(chan int, 1)
	for i := range n {
		c <- i
		held += <-c
	}
}

func withSelect(n int) {
	a, b := make(chan int, 1), make(chan int, 1)
	for i := range n {
		select {
		case a <- i:
		case b <- i:
		}
		select {
		case held = <-a:
		case held = <-b:
		}
	}
}

func withMap[K comparable](key func(int) K) func(n int) {
	return func(n int) {
		m := map[K]int{}
		keys := make([]K, len(integers))
		for i := range keys {
			keys[i] = key(i)
			m[keys[i]] = i
		}
		for i := range n {
			held += m[keys[i%len(keys)]]
		}
	}
}
