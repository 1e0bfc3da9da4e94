// SPDX-License-Identifier: MPL-2.0

package sched

import seam "github.com/hmdsefi/faultline/runtime"

// current is what decides in the exact run that goes on. There is at most one at a time in a process.
var current decider

// decider asks the strategy, follows a recorded log as far as it fits, and records.
type decider struct {
	seed     uint64
	name     string // of the strategy
	strategy Strategy
	follow   *follower
	record   *recorder
	count    uint64
}

func newDecider(cfg Config) decider {
	name := cfg.Strategy
	if name == "" {
		name = DefaultStrategy
	}
	d := decider{seed: cfg.Seed, name: name, strategy: strategies[name]()}
	d.strategy.Start(cfg.Seed, cfg.Length)
	if cfg.Record > 0 {
		d.record = newRecorder(cfg.Record)
	}
	if cfg.Follow != nil {
		d.follow = &follower{log: cfg.Follow.Decisions}
	}
	return d
}

func (d *decider) outcome(deadlock error) Outcome {
	census := seam.ReadCensus()
	out := Outcome{
		Exact:     census.Outside == 0,
		Points:    census.Points,
		Switches:  census.Switches,
		Decisions: d.count,
		Hash:      census.Hash,
		Outside:   census.Outside,
		OutsideAt: outsidePlaces(),
		Deadlock:  deadlock,
	}
	if d.record != nil {
		out.Log = d.record.log()
		out.Log.Seed, out.Log.Strategy = d.seed, d.name
	}
	if d.follow != nil {
		out.Unfit, out.Followed = d.follow.unfit(), d.follow.at
	}
	return out
}

// decide is what the seam calls.
//
//go:norace
func decide(kind, n uint32) uint32 {
	d := &current
	d.count++
	k, followed := uint32(0), false
	if d.follow != nil {
		k, followed = d.follow.next(seam.Kind(kind), n)
	}
	if !followed {
		k = d.strategy.Next(seam.Kind(kind), n)
	}
	if d.record != nil {
		d.record.add(seam.Kind(kind), n, k)
	}
	return k
}
