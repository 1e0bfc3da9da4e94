package old

import "sync/atomic"

var n int64

var v atomic.Value

var m atomic.Int64

func f() interface{} {
	atomic.AddInt64(&n, 1)
	v.Store("a")
	m.Store(m.Load())
	defer m.Store(1)
	g := (*atomic.Int64).Load
	g(&m)
	return v.Load()
}
