// SPDX-License-Identifier: MPL-2.0

package sched

import (
	"maps"
	"slices"

	seam "github.com/hmdsefi/faultline/runtime"
)

// A Strategy decides which goroutine of an exact run goes on. The same seed must lead to the same decisions.
//
// Start is ordinary code. Next runs inside the scheduler with a lock held: it and all it calls must not allocate, block,
// synchronise or panic, and must carry the directive go:norace.
type Strategy interface {
	// Start prepares for a run of about length decisions; 0 is an unknown length.
	Start(seed, length uint64)
	// Next picks one of 0 to n-1, or n for the running goroutine to go on unless the kind is seam.HandOver. For the kind
	// seam.TimePasses it answers with a seam.Pace instead, as a [pace] does.
	Next(kind seam.Kind, n uint32) uint32
}

// strategies are the strategies by their names in Options.Strategy.
var strategies = map[string]func() Strategy{
	"random": func() Strategy { return new(randomWalk) },
	"pct":    func() Strategy { return new(pct) },
}

// Strategies gives the names of all strategies, sorted.
func Strategies() []string { return slices.Sorted(maps.Keys(strategies)) }

// DefaultStrategy is the strategy of a run that names none.
const DefaultStrategy = "random"

// randomWalk picks every next goroutine with equal probability, and yields at points with a probability that the seed picks.
type randomWalk struct {
	stream stream
	yield  uint64 // in 256ths
	stays  uint32 // points in a row at which the running goroutine went on
	pace   pace
}

// yieldRates are the probabilities, in 256ths, with which a point yields. No single one finds most bugs (measured in the
// experiment of November 2026: between 0 and 128 of 256 the hit rates of five programs differ by up to 20 times, and not in
// the same direction), so the seed picks one.
var yieldRates = [...]uint64{0, 4, 16, 32, 64, 128}

// patience is the number of points in a row after which the running goroutine yields whatever the rate: it may be polling for something
// that one of the others would do. It is large, some ten milliseconds: a seed with the rate 0 is there to let goroutines run on.
const patience = 1 << 20

func (r *randomWalk) Start(seed, _ uint64) {
	r.stream = stream(seed ^ 0x72616e646f6d)
	r.yield = yieldRates[r.stream.below(uint32(len(yieldRates)))]
	r.pace.start(seed)
}

//go:norace
func (r *randomWalk) Next(kind seam.Kind, n uint32) uint32 {
	switch kind {
	case seam.HandOver:
		r.stays = 0
		if n == 1 {
			return 0
		}
		return r.stream.below(n)
	case seam.MayYield:
		if r.stream.next()>>56 >= r.yield && r.stays < patience {
			r.stays++
			return n
		}
	case seam.TimePasses:
		return r.pace.next(n)
	}
	r.stays = 0
	return r.stream.below(n + 1)
}

// stream is a splitmix64 generator (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
type stream uint64

//go:norace
func (s *stream) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	return mix(uint64(*s))
}

// below gives a number from 0 to n-1.
//
//go:norace
func (s *stream) below(n uint32) uint32 { return uint32((s.next() >> 32) * uint64(n) >> 32) }

//go:norace
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
