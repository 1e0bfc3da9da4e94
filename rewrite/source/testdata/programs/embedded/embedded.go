// Package embedded calls promoted methods.
package embedded

import (
	"fmt"
	"sync/atomic"
)

type flag struct{ atomic.Bool }

type shared struct {
	*flag
	hits atomic.Int32
}

type outer struct {
	shared
	atomic.Value
}

func get() *outer { return &outer{shared: shared{flag: &flag{}}} }

type counter = atomic.Int64

type derived atomic.Int64

func Main() {
	o := get()
	fmt.Println(o.Bool.Load(), o.flag.Swap(true), o.shared.Load(), o.hits.Add(3))
	o.Value.Store("text")
	fmt.Println(o.Value.Load(), o.Value.CompareAndSwap("text", "other"), o.Value.Load())
	fmt.Println(get().shared.CompareAndSwap(false, true))
	var c counter
	(&c).Store(1)
	(*(&c)).Add(1)
	var d derived
	(*atomic.Int64)(&d).Store(c.Load())
	fmt.Println((*atomic.Int64)(&d).Load())
	m := map[string]*counter{"a": {}}
	m["a"].Add(4)
	a := [2]struct{ n counter }{}
	for i := range a {
		a[i].n.Store(m["a"].Load() + int64(i))
	}
	fmt.Println(a[0].n.Load(), a[1].n.Load())
	store := (*flag).Store
	store(o.flag, false)
	fmt.Println(o.flag.Load())
}
