package forms

import (
	"sync/atomic"
	"unsafe"
)

type counter struct {
	name string
	n    atomic.Int64
}

type embeds struct {
	atomic.Uint32
	inner
}

type inner struct{ *atomic.Bool }

var (
	old   int64
	bits  uint32
	addr  uintptr
	raw   unsafe.Pointer
	value atomic.Value
	first = total.Load()
	total atomic.Int64
)

func methods(c *counter, e embeds, list []atomic.Int32) int64 {
	c.n.Store(c.n.Load() + 1)
	e.Uint32.Add(2)
	e.Add(e.Load())
	if e.inner.Load() || e.inner.CompareAndSwap(false, true) {
		list[c.n.Load()].Swap(3)
	}
	for c.n.Load() < 10 {
		c.n.Add(1)
	}
	switch v := value.Load().(type) {
	case int:
		value.Store(v + 1)
		value.CompareAndSwap(v, nil)
	}
	total.
		Add(
			1,
		)
	return total. // the sum
			Load()
}

func functions(e *embeds) (int64, bool) {
	atomic.AddInt64(&old, 1)
	atomic.StoreUint32(&bits, atomic.LoadUint32(&bits)|1)
	atomic.StorePointer(&raw, nil)
	atomic.OrUintptr(&addr, 4)
	p := (*int64)(atomic.LoadPointer(&raw))
	(atomic.SwapInt64)(p, 2)
	return atomic.LoadInt64(&old), atomic.
		CompareAndSwapInt64(&old, 1, 2)
}

func values(c *counter) func() int64 {
	defer c.n.Store(0)
	go c.n.Add(1)
	defer func() { c.n.Add(-1) }()
	add := atomic.AddInt64
	add(&old, 1)
	expression := (*atomic.Int64).Load
	expression(&c.n)
	(*atomic.Int64).Store(&c.n, 5)
	return c.n.Load
}

func pair() (int64, int64) { return 1, 2 }

func forwarded() bool { return total.CompareAndSwap(pair()) }

// Not operations of sync/atomic.
type mine struct{ v int64 }

func (m *mine) Load() int64   { return m.v }
func (m *mine) Store(v int64) { m.v = v }

func others(m *mine, l interface{ Load() int64 }) {
	m.Store(m.Load() + l.Load())
}
