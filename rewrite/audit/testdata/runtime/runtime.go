package runtime

import (
	"runtime"
	"runtime/debug"
	"sync"
	"unique"
	"weak"
)

type object struct{ n int }

var pool sync.Pool

func collect(o *object) {
	runtime.SetFinalizer(o, nil)
	runtime.AddCleanup(o, func(int) {}, 0)
	w := weak.Make(o)
	w.Value()
	unique.Make(1).Value()
	pool.Get()
	runtime.GC()
	runtime.KeepAlive(o)
	runtime.Gosched()
	runtime.NumGoroutine()
	runtime.GOMAXPROCS(0)
	runtime.LockOSThread()
	debug.Stack()
}
