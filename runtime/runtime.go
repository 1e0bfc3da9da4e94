// SPDX-License-Identifier: MPL-2.0

// Package runtime owns what is linked into a test binary to reach the seam, the hooks that the wrapper puts into the runtime of
// the standard library. In a plain build there is no seam and the functions here do nothing. Package sched is its only caller
// for runs; it must not know what a run is for.
package runtime

// Census is what an exact run tells about itself.
type Census struct {
	Points   uint64 // scheduling points passed
	Switches uint64 // times the token went to another goroutine
	Outside  uint64 // wake-ups that came from outside the bubble
	Hash     uint64 // fold of every scheduling decision
}

// Wakeup is a wake-up that came from outside the bubble: why the goroutine had waited, and the program counters of the stacks
// of both sides. Waker is empty when it was the network poller.
type Wakeup struct {
	Reason string
	Woken  []uintptr
	Waker  []uintptr
}

// Arm makes the next synctest bubble that this process starts an exact run. At a scheduling point its goroutines yield with
// probability yield/256. It does nothing without the seam.
func Arm(seed uint64, yield uint8) { arm(seed, uint64(yield)) }

// ReadCensus reads the census of the exact run that the caller belongs to, or else of the last one that ended.
func ReadCensus() Census {
	points, switches, outside, hash := census()
	return Census{Points: points, Switches: switches, Outside: outside, Hash: hash}
}

// ReadWakeup reads the i-th wake-up from outside in the last exact run. The seam keeps the first few; ok is false behind them.
func ReadWakeup(i int) (w Wakeup, ok bool) {
	reason, woken, waker := wakeup(i)
	return Wakeup{Reason: reason, Woken: trim(woken), Waker: trim(waker)}, woken != nil
}

// trim copies the program counters up to the first zero.
func trim(pcs []uintptr) []uintptr {
	for i, pc := range pcs {
		if pc == 0 {
			pcs = pcs[:i]
			break
		}
	}
	return append([]uintptr(nil), pcs...)
}

// Point is a scheduling point.
func Point() { point() }
