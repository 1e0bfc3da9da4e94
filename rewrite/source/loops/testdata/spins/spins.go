package spins

import (
	"sync/atomic"
	"time"
)

var done bool

var state struct{ ready, stopped bool }

type server struct {
	closed bool
	queue  []int
	flags  map[string]bool
	limit  *int
}

func plain() {
	for !done {
	}
	for !state.ready { // comment
	}
	for i := 0; !done; i++ {
		_ = i
	}
	for !done {
	}
}

func (s *server) poll() {
	for !s.closed && len(s.queue) > 0 {
	}
	for !s.flags["up"] {
	}
	for s.queue[0] == *s.limit {
	}
	for ok := false; !ok; {
		ok = s.closed
	}
	for {
		v := s.closed
		if v {
			break
		}
	}
	for {
		if !done {
			continue
		}
		return
	}
}

func captured() {
	ready := false
	go func() { ready = true }()
	for !ready {
	}
	n := 0
	set(&n)
again:
	for {
		switch {
		case n > 0:
			break again
		}
	}
}

func set(p *int) { *p = 1 }

func clock(d time.Duration) {
	start := time.Now()
	for time.Since(start) < d {
	}
	for deadline := start.Add(d); time.Now().Before(deadline); {
	}
}

var flag atomic.Bool

func nested() {
	for !flag.Load() {
		for !done {
		}
	}
}
