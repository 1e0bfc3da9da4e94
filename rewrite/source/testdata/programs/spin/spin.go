// Package spin waits in loops.
package spin

import (
	"fmt"
	"runtime"
	"sync/atomic"
)

type gate struct{ open, seen int32 }

func (g *gate) isOpen() bool { return atomic.LoadInt32(&g.open) == 1 }

func Main() {
	g := &gate{}
	go func() {
		for !g.isOpen() {
			runtime.Gosched()
		}
		atomic.StoreInt32(&g.seen, 1)
	}()
	atomic.StoreInt32(&g.open, 1)
	for atomic.LoadInt32(&g.seen) == 0 {
		runtime.Gosched()
	}
	total, turns := 0, &gate{}
	for turns.open < 10 {
		total++
		turns.open++
	}
	limit := &gate{open: 3}
outer:
	for {
		switch {
		case limit.open == 3:
			total += int(limit.open)
			break outer
		}
	}
	for stop := limit.open; ; {
		if stop == 3 {
			break
		}
	}
	fmt.Println(g.open, g.seen, total)
}
