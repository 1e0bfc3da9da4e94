// SPDX-License-Identifier: MPL-2.0

package simnet

import (
	"math/bits"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// DefaultSize is the size in bytes of a message whose payload is no [Sizer].
const DefaultSize = 100

// Sizer is a payload that knows how many bytes it has on the wire. Links with a
// Bandwidth ask it.
type Sizer interface {
	Size() int
}

func sizeOf(payload any) int {
	if s, ok := payload.(Sizer); ok {
		return max(0, s.Size())
	}
	return DefaultSize
}

// transfer puts a message of that size behind those that the link is still sending.
// It returns when the last byte leaves, and false if the link's queue has no room.
func (l *link) transfer(now kernel.Time, size int) (kernel.Time, bool) {
	if l.config.Bandwidth == 0 {
		return now, true
	}
	start := max(now, l.free)
	if l.config.Queue > 0 && start.Sub(now) > perByte(l.config.Queue, l.config.Bandwidth) {
		return 0, false
	}
	l.free = start.Add(perByte(int64(size), l.config.Bandwidth))
	return l.free, true
}

// perByte returns how long a link of so many bytes a second takes for so many
// bytes, at most a year.
func perByte(size, bandwidth int64) time.Duration {
	hi, lo := bits.Mul64(uint64(size), uint64(time.Second))
	if hi >= uint64(bandwidth) {
		return maxDelay
	}
	d, _ := bits.Div64(hi, lo, uint64(bandwidth))
	return time.Duration(min(d, uint64(maxDelay)))
}
