// Package value stores interfaces, and shadows what a rewriter may be tempted to use.
package value

import (
	"errors"
	"fmt"
	"sync/atomic"
)

type config struct{ n int }

var v atomic.Value

var initial = v.CompareAndSwap(nil, config{1})

func Main() {
	atomic, runtime, unsafe, any := &v, 1, 2, 3
	faultline, faultlinePoint := 4, 5
	fmt.Println(initial, atomic.Load(), runtime+unsafe+any+faultline+faultlinePoint)
	atomic.Store(config{2})
	fmt.Println(atomic.Load().(config).n, atomic.Swap(config{3}))
	defer func() { fmt.Println(recover()) }()
	atomic.Store(errors.New("another type"))
}
