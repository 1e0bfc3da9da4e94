// SPDX-License-Identifier: MPL-2.0

package netsim

import "sync/atomic"

// credit is the free part of a send buffer. The process takes from it on its own
// goroutines, so that a write that fits does not wait for the driver: as with a real
// socket, it returns at once, also with a lock held. The driver takes from it for
// writes that wait, and returns what has left the buffer.
type credit struct {
	free   atomic.Int64
	broken atomic.Bool // writes have to ask the driver; never cleared
}

// takeAll takes n bytes, or nothing if there are less.
func (c *credit) takeAll(n int) bool {
	for !c.broken.Load() {
		free := c.free.Load()
		if free < int64(n) {
			return false
		}
		if c.free.CompareAndSwap(free, free-int64(n)) {
			return true
		}
	}
	return false
}

// takeUpTo takes up to n bytes and returns how many.
func (c *credit) takeUpTo(n int) int {
	for {
		free := c.free.Load()
		got := min(int64(n), free)
		if got <= 0 {
			return 0
		}
		if c.free.CompareAndSwap(free, free-got) {
			return int(got)
		}
	}
}

func (c *credit) giveBack(n int) { c.free.Add(int64(n)) }
