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

// Kind says why there is a decision to make.
type Kind uint32

const (
	// HandOver: the running goroutine has blocked or ended, so one of the others is next.
	HandOver Kind = iota
	// MayYield: the running goroutine is at a scheduling point and may go on.
	MayYield
	// Yields: the running goroutine has called runtime.Gosched and may go on.
	Yields
	// TimePasses: the clock of the bubble may move although its goroutines are not blocked, since computing takes time. The number
	// that decide gets is that of the points since all were blocked, 0 at the start of a run. Its answer is a [Pace].
	TimePasses
)

// Pace says how the clock moves: now by 2 to the power of Step-1 nanoseconds, or not at all if that is 0, but not beyond the next
// timer; and then again after Points more scheduling points.
type Pace struct {
	Step   uint32 // at most 62
	Points uint32 // at most 1<<24 - 1
}

// Encode gives the form in which decide answers.
//
//go:norace
func (p Pace) Encode() uint32 { return p.Step<<24 | p.Points&(1<<24-1) }

// Arm makes the next synctest bubble that this process starts an exact run: its values come from seed, and decide picks who runs.
// It is called with the number n of goroutines that wait to run, and returns one of 0 to n-1, or n for the running goroutine to
// go on, if the kind allows that; for TimePasses see there.
//
// The scheduler calls decide with a lock held, often on the system stack: decide and all it calls must not allocate, block or
// synchronise, and carry the directive go:norace. Arm does nothing without the seam.
func Arm(seed uint64, decide func(kind, n uint32) uint32) { arm(seed, decide) }

// Candidate gives the number of the i-th goroutine of the decision that goes on. A run numbers its goroutines from 1 as they are
// created; 0 is the goroutine that started the bubble. Only decide may call it.
//
//go:norace
func Candidate(i uint32) uint64 { return candidate(i) }

// Where stores the stack of the i-th goroutine of the decision that goes on in pcs and returns its depth. Only decide may call it.
//
//go:norace
func Where(i uint32, pcs []uintptr) int { return where(i, pcs) }

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

// Timers gives the number of timers that can still fire in the caller's bubble, sleeps included. Without the seam it is 0.
func Timers() int { return timers() }

// Point is a scheduling point.
func Point() { point() }
