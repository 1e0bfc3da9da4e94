// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"math"
	"math/bits"
	"time"
)

const (
	fraction = 32         // bits behind the point of the numbers below
	ln2      = 2977044471 // of 2, with that many bits
)

// exponential turns a uniform 64-bit value into a duration that is distributed
// exponentially with the given mean: -ln(u/2^64) * mean, computed in integers so
// that it is the same on every platform.
func exponential(u uint64, mean time.Duration) time.Duration {
	negLog := (uint64(64) << fraction) - log2(max(u, 1))
	hi, lo := bits.Mul64(negLog, ln2)
	nepers := hi<<(64-fraction) | lo>>fraction
	hi, lo = bits.Mul64(nepers, uint64(mean))
	if hi>>(fraction-1) != 0 {
		return math.MaxInt64
	}
	return time.Duration(hi<<(64-fraction) | lo>>fraction)
}

// log2 returns the binary logarithm of x, which is not 0, bit by bit: the whole
// part is the place of its highest bit, and squaring the rest shifts out the
// next bit of the fraction.
func log2(x uint64) uint64 {
	zeros := bits.LeadingZeros64(x)
	log := uint64(63 - zeros)
	x <<= zeros // now 1 <= x/2^63 < 2
	for range fraction {
		hi, lo := bits.Mul64(x, x) // x^2/2^63 in 65 bits
		log <<= 1
		if hi>>63 != 0 {
			log |= 1
			x = hi
		} else {
			x = hi<<1 | lo>>63
		}
	}
	return log
}
