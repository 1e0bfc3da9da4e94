// SPDX-License-Identifier: MPL-2.0

package ingredients

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

var locks = []Ingredient{
	{Name: "Mutex", Run: mutex},
	{Name: "Mutex.TryLock", Run: tryLock},
	{Name: "Mutex held across a sleep", Run: heldMutex, NeedsSeam: true},
	{Name: "RWMutex", Run: rwMutex},
	{Name: "RWMutex held across a sleep", Run: heldRWMutex, NeedsSeam: true},
	{Name: "Cond", Run: cond},
	{Name: "Once", Run: once},
	{Name: "WaitGroup", Run: waitGroup},
	{Name: "atomic add", Run: atomicAdd},
	{Name: "compare and swap", Run: compareAndSwap},
	{Name: "sync.Map", Run: syncMap},
	{Name: "sync.Pool", Run: syncPool},
}

func mutex(l *Log) {
	var mu sync.Mutex
	var order []int
	crowd(6, func(id int) {
		for range 20 {
			mu.Lock()
			order = append(order, id)
			runtime.Gosched()
			mu.Unlock()
		}
	})
	l.Add(order)
}

func tryLock(l *Log) {
	var mu sync.Mutex
	crowd(4, func(id int) {
		missed := 0
		for got := 0; got < 10; {
			if !mu.TryLock() {
				missed++
				runtime.Gosched()
				continue
			}
			got++
			runtime.Gosched()
			mu.Unlock()
		}
		l.Add(id, missed)
	})
}

func heldMutex(l *Log) {
	var mu sync.Mutex
	crowd(6, func(id int) {
		for range 5 {
			mu.Lock()
			time.Sleep(2 * time.Millisecond) // long enough for waiters to starve
			l.Add(id)
			mu.Unlock()
		}
	})
}

func rwMutex(l *Log) {
	var mu sync.RWMutex
	value := 0
	crowd(8, func(id int) {
		for range 15 {
			if id < 2 {
				mu.Lock()
				value++
				runtime.Gosched()
				mu.Unlock()
				continue
			}
			mu.RLock()
			seen := value
			runtime.Gosched()
			mu.RUnlock()
			l.Add(id, seen)
		}
	})
}

func heldRWMutex(l *Log) {
	var mu sync.RWMutex
	crowd(6, func(id int) {
		for range 4 {
			if id == 0 {
				mu.Lock()
				time.Sleep(time.Millisecond)
				l.Add("write")
				mu.Unlock()
				continue
			}
			mu.RLock()
			time.Sleep(time.Millisecond)
			l.Add("read", id)
			mu.RUnlock()
		}
	})
}

func cond(l *Log) {
	var mu sync.Mutex
	changed := sync.NewCond(&mu)
	tokens := 0
	var wg sync.WaitGroup
	for id := range 6 {
		wg.Go(func() {
			for range 8 {
				mu.Lock()
				for tokens == 0 {
					changed.Wait()
				}
				tokens--
				l.Add(id, tokens)
				mu.Unlock()
			}
		})
	}
	for i := range 24 {
		mu.Lock()
		tokens += 2
		mu.Unlock()
		if i%3 == 0 {
			changed.Broadcast()
		} else {
			changed.Signal()
		}
		time.Sleep(time.Microsecond)
	}
	changed.Broadcast()
	wg.Wait()
}

func once(l *Log) {
	var first sync.Once
	value := sync.OnceValue(func() int { runtime.Gosched(); return 7 })
	crowd(10, func(id int) {
		first.Do(func() {
			runtime.Gosched()
			l.Add("first", id)
		})
		l.Add(id, value())
	})
}

func waitGroup(l *Log) {
	var work, waiters sync.WaitGroup
	work.Add(8)
	for id := range 8 {
		waiters.Go(func() {
			work.Wait()
			l.Add("waited", id)
		})
		go func() {
			defer work.Done()
			l.Add("worked", id)
		}()
	}
	waiters.Wait()
}

func atomicAdd(l *Log) {
	var n atomic.Int64
	crowd(6, func(id int) {
		for range 10 {
			l.Add(id, n.Add(1))
			runtime.Gosched()
		}
	})
}

func compareAndSwap(l *Log) {
	var n atomic.Int64
	crowd(5, func(id int) {
		retries := 0
		for done := 0; done < 15; {
			seen := n.Load()
			runtime.Gosched()
			if n.CompareAndSwap(seen, seen+1) {
				done++
			} else {
				retries++
			}
		}
		l.Add(id, retries)
	})
	l.Add(n.Load())
}

func syncMap(l *Log) {
	var m sync.Map
	crowd(5, func(id int) {
		for i := range 12 {
			_, loaded := m.LoadOrStore(i, id)
			if i%4 == 3 {
				m.Delete(i - 1)
			}
			l.Add(id, i, loaded)
			runtime.Gosched()
		}
	})
	m.Range(func(key, value any) bool {
		l.Add(key, value)
		return true
	})
}

func syncPool(l *Log) {
	var made atomic.Int64
	pool := sync.Pool{New: func() any { n := made.Add(1); return &n }}
	crowd(6, func(id int) {
		var held []*int64
		for i := range 20 {
			item := pool.Get().(*int64)
			l.Add(id, *item)
			held = append(held, item)
			if i%3 == 2 {
				for _, item := range slices.Backward(held) {
					pool.Put(item)
				}
				held = held[:0]
				runtime.Gosched()
			}
		}
	})
}
