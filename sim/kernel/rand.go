// SPDX-License-Identifier: MPL-2.0

package kernel

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"time"
)

// million is the denominator of parts per million.
const million = 1_000_000

// schedStream orders the events of one instant.
const schedStream = "kernel/sched"

// Rand returns the random stream of that name, seeded from the run's seed and
// the name alone: what one stream is asked for never moves another. The same
// name always returns the same generator.
func (s *Sim) Rand(stream string) *rand.Rand {
	r := s.streams[stream]
	if r == nil {
		r = newStream(s.seed, stream)
		s.streams[stream] = r
	}
	return r
}

func newStream(seed uint64, stream string) *rand.Rand {
	h := fnv1a(fnvOffset, binary.LittleEndian.AppendUint64(nil, seed))
	h = fnv1a(h, []byte(stream))
	return rand.New(rand.NewPCG(mix(h), mix(h+goldenGamma)))
}

const goldenGamma = 0x9e3779b97f4a7c15

// mix is the finalizer of SplitMix64: it spreads the hash over all 64 bits.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Chance reports true in ppm of a million cases. It draws exactly one value,
// also when ppm leaves no choice (0 or less, a million or more), so that a
// changed probability does not shift the rest of the stream.
func Chance(r *rand.Rand, ppm int64) bool {
	hi, _ := bits.Mul64(r.Uint64(), million)
	return int64(hi) < ppm
}

// Uniform returns a value from lo to hi, both included. It panics if hi is less
// than lo.
func Uniform(r *rand.Rand, lo, hi int64) int64 {
	if hi < lo {
		panic(fmt.Sprintf("kernel: Uniform(%d, %d): the upper bound is less than the lower", lo, hi))
	}
	span := uint64(hi) - uint64(lo) + 1
	if span == 0 { // every int64
		return int64(r.Uint64())
	}
	// Multiply and shift; draws whose low half falls into the uneven rest are
	// drawn again, which for spans in use practically never happens.
	high, low := bits.Mul64(r.Uint64(), span)
	if low < span {
		for rest := -span % span; low < rest; {
			high, low = bits.Mul64(r.Uint64(), span)
		}
	}
	return int64(uint64(lo) + high)
}

// UniformDuration is [Uniform] for durations.
func UniformDuration(r *rand.Rand, lo, hi time.Duration) time.Duration {
	return time.Duration(Uniform(r, int64(lo), int64(hi)))
}
