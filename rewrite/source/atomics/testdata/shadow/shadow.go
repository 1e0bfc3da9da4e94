package shadow

import "sync/atomic"

type (
	int64 struct{}
	bool  int
)

var n atomic.Int64

var b atomic.Bool

func f() {
	n.Store(n.Load())
	n.Store(1)
	b.CompareAndSwap(false, true)
	b.Store(b.Load())
}
