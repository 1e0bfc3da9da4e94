// Package stacks prints where its calls are.
package stacks

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
)

var n atomic.Int64

func where(depth int) int64 {
	pcs := make([]uintptr, 20)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for i := 0; i < depth; i++ {
		frame, more := frames.Next()
		if strings.Contains(frame.Function, "stacks.") {
			fmt.Println(frame.Function[strings.LastIndex(frame.Function, "/")+1:], frame.File[strings.LastIndex(frame.File, "/")+1:], frame.Line)
		}
		if !more {
			break
		}
	}
	return 1
}

func Main() {
	n.Add(where(3))
	n.Store(n.Load() +
		where(3))
	where(3)
	func() {
		n.Store(n.Load() + 1)
		func() { where(4) }()
	}()
	f := func() int64 { n.Add(1); return where(3) }
	n.Add(f())
	inlined(func() { where(5) })
	var p *atomic.Int64
	try(func() { p.Store(1) })
	try(func() {
		for !done {
			n.Load()
			panic("in a loop")
		}
	})
	try(func() {
		defer n.Store(where(3))
		var e struct{ *atomic.Bool }
		e.
			CompareAndSwap(
				true,
				false)
	})
}

var done bool

func inlined(f func()) { n.Load(); f() }

func try(f func()) {
	defer func() {
		fmt.Println(recover())
		pcs := make([]uintptr, 20)
		frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
		for {
			frame, more := frames.Next()
			name := frame.Function[strings.LastIndex(frame.Function, "/")+1:]
			if strings.HasPrefix(name, "stacks.") && !strings.Contains(name, "faultline") {
				fmt.Println(name, frame.Line)
			}
			if !more {
				return
			}
		}
	}()
	f()
}
