// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"hash/fnv"
)

// seedPlan is the list of seeds that a Run works through.
type seedPlan struct {
	seeds  []uint64
	first  int    // index of the first one
	source string // where they come from, for the log and the report
	base   uint64 // what derived seeds derive from
	all    bool   // run them all, also after a failure

	derived  bool // from base
	explored bool // from a base of the moment
}

// planSeeds chooses the seeds of a test, the strongest wish first.
func planSeeds(test string, o Options, env settings, short bool) seedPlan {
	switch {
	case env.seed != nil:
		return seedPlan{seeds: []uint64{*env.seed}, source: envSeed}
	case env.list != nil:
		return seedPlan{seeds: env.list, source: envList, all: true}
	case env.pinned != nil:
		return seedPlan{seeds: []uint64{env.pinned.seed}, source: "Pin"}
	case env.follow != nil:
		return seedPlan{seeds: []uint64{env.follow.Seed}, source: envDecisions}
	}
	p := seedPlan{derived: true}
	switch {
	case env.base != nil:
		p.base, p.source = *env.base, envBase
	case on(env.explore, false):
		p.base, p.source, p.explored = momentSeed(), envExplore, true
	case o.BaseSeed != 0:
		p.base, p.source = o.BaseSeed, "Options.BaseSeed"
	default:
		p.base, p.source = nameSeed(test), "test name"
	}
	p.seeds = make([]uint64, seedCount(o, env, short))
	for i := range p.seeds {
		p.seeds[i] = deriveSeed(p.base, i)
	}
	return p
}

// seedCount caps only the number that nobody asked for on the command line.
func seedCount(o Options, env settings, short bool) int {
	if env.seeds != nil {
		return int(*env.seeds)
	}
	n := o.Seeds
	if n == 0 {
		n = DefaultSeeds
	}
	if short {
		n = min(n, shortSeeds)
	}
	return n
}

// deriveSeed returns the i-th seed of a base. Different i give different seeds.
func deriveSeed(base uint64, i int) uint64 {
	return mix64(base + (uint64(i)+1)*0x9e3779b97f4a7c15)
}

// nameSeed is the base of a test of that name.
func nameSeed(test string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(test))
	return mix64(h.Sum64())
}

// momentSeed is a base that nobody has used before.
func momentSeed() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}

// mix64 is the finaliser of SplitMix64, a bijection.
func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// formatSeed is how a seed is written everywhere.
func formatSeed(seed uint64) string { return fmt.Sprintf("0x%016x", seed) }
