// Package counter counts with every kind of operation.
package counter

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
)

type all struct {
	i32  int32
	i64  int64
	u32  uint32
	u64  uint64
	ptr  uintptr
	p    unsafe.Pointer
	ti32 atomic.Int32
	ti64 atomic.Int64
	tu32 atomic.Uint32
	tu64 atomic.Uint64
	tptr atomic.Uintptr
	b    atomic.Bool
}

func Main() {
	var a all
	var wg sync.WaitGroup
	for g := 0; g < 4; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			for i := 0; i < 100; i++ {
				atomic.AddInt32(&a.i32, 1)
				atomic.AddInt64(&a.i64, int64(g))
				atomic.AddUint32(&a.u32, ^uint32(0))
				atomic.AddUint64(&a.u64, 1<<33)
				atomic.AddUintptr(&a.ptr, uintptr(i))
				a.ti32.Add(-1)
				a.ti64.Add(int64(i) << g)
				a.tu32.Or(1 << g)
				a.tu64.Add(uint64(g))
				a.tptr.Add(1)
				for old := a.ti64.Load(); !a.ti64.CompareAndSwap(old, old+1); old = a.ti64.Load() {
				}
				a.b.Store(i > 50 || a.b.Load())
			}
		}(g)
	}
	wg.Wait()
	x := 7
	atomic.StorePointer(&a.p, unsafe.Pointer(&x))
	fmt.Println(a.i32, a.i64, a.u32, a.u64, a.ptr, *(*int)(atomic.LoadPointer(&a.p)))
	fmt.Println(a.ti32.Load(), a.ti64.Load(), a.tu32.Load(), a.tu64.Load(), a.tptr.Load(), a.b.Load())
	fmt.Println(atomic.SwapInt32(&a.i32, 5), atomic.CompareAndSwapInt32(&a.i32, 5, 6), atomic.LoadInt32(&a.i32))
}
