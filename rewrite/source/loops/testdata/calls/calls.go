package calls

import (
	"runtime"
	"strings"
	"sync"
)

type job struct {
	mu    sync.Mutex
	done  bool
	name  string
	pos   int
	input string
}

func (j *job) isDone() bool { return j.done }

func (j *job) isDoneLocked() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.done
}

func (j *job) next() bool {
	j.pos++
	return j.pos < len(j.input)
}

func (j *job) named() bool { return strings.HasPrefix(j.name, "x") && j.isDone() }

type waiter interface{ ready() bool }

func calls(j *job, w waiter, f func() bool) {
	for !j.isDone() { // polls through a method
	}
	for !j.named() { // and through two
	}
	for !j.isDoneLocked() { // has the points of the lock
	}
	for !w.ready() { // unknown: could have one
	}
	for !f() {
	}
	for j.next() { // moves on
	}
	for !j.done { // yields
		runtime.Gosched()
	}
	for !j.done {
		func() { _ = j.name }()
	}
	for !j.done {
		func() { j.mu.Lock() }()
	}
}
