// SPDX-License-Identifier: MPL-2.0

package sched

import (
	"math/bits"

	seam "github.com/hmdsefi/faultline/runtime"
)

// pace makes computing take time, for strategies to share. The clock of a synctest bubble stands still until all goroutines are
// blocked, so that a timer could never fire between two operations of a goroutine, and a goroutine that polls would do so for
// ever. At some seeds only the second is mended.
type pace struct {
	stream   stream
	interval uint32 // mean number of points between two steps of the clock
}

// paces are the mean intervals in points; busyPoints stands for no steps of the clock unless a goroutine polls. Some seeds search
// orders alone, since most bugs are a matter of order.
var paces = [...]uint32{busyPoints, busyPoints, busyPoints, 1024, 64}

// busyPoints is the number of points without a moment at which all goroutines were blocked after which one of them is taken
// to be polling. From then on the steps of the clock double, so that the deadline for which it waits comes.
const busyPoints = 1 << 14

// nanosecondsPerPoint bounds, in powers of two, how long computing between two points takes: a microsecond, which is what a
// machine needs that is busy with other things too.
const nanosecondsPerPoint = 10

func (p *pace) start(seed uint64) {
	p.stream = stream(seed ^ 0x70616365)
	p.interval = paces[p.stream.below(uint32(len(paces)))]
}

// next answers seam.TimePasses.
//
//go:norace
func (p *pace) next(busy uint32) uint32 {
	answer := seam.Pace{Points: p.interval}
	if p.interval < busyPoints {
		answer.Points = p.stream.below(2 * p.interval)
		// Any number of digits is as likely as any other, up to those of the longest time.
		answer.Step = p.stream.below(uint32(bits.Len32(p.interval))+nanosecondsPerPoint) + 1
	}
	if polling := busy / busyPoints; polling > 0 {
		answer.Step = max(answer.Step, min(2*nanosecondsPerPoint+polling, 62))
	}
	return answer.Encode()
}
