// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/sched"
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// Defaults of [Options].
const (
	DefaultSeeds        = 20
	DefaultDuration     = time.Minute
	DefaultMaxEvents    = kernel.DefaultMaxEvents
	DefaultDrain        = time.Minute
	DefaultStallTimeout = time.Minute

	shortSeeds = 5 // the most seeds under go test -short
	maxSeeds   = 1_000_000
)

// Mode says what the nodes of a world are made of.
type Mode uint8

const (
	// ModeEvent runs callbacks on one goroutine. Every seed replays exactly.
	ModeEvent Mode = iota
	// ModeGoroutine runs processes as goroutines in a testing/synctest bubble,
	// beside event-style nodes.
	ModeGoroutine
)

// String returns "event" or "goroutine".
func (m Mode) String() string {
	if m == ModeGoroutine {
		return "goroutine"
	}
	return "event"
}

// Trace says how much of a passing seed is kept.
type Trace uint8

const (
	// TraceHash computes the trace hash of a run and keeps no records of it. A
	// failing seed runs again to record everything.
	TraceHash Trace = iota
	// TraceFull keeps all records and writes an artifact for passing seeds too.
	TraceFull
)

// String returns "hash" or "full".
func (t Trace) String() string {
	if t == TraceFull {
		return "full"
	}
	return "hash"
}

// Options configures [Run]. The zero value runs 20 seeds in event mode. A variable
// of the environment is stronger than the option of the same meaning.
type Options struct {
	// Seeds is the number of seeds to run, 1 to 1,000,000; 0 means 20. Under
	// go test -short at most 5 of them run.
	Seeds int

	// BaseSeed is what the seeds derive from; 0 means a hash of the test's name,
	// so that every machine runs the same seeds.
	BaseSeed uint64

	// Duration is how long a run lasts in virtual time; 0 means one minute. The
	// last quarter of it is free of new faults.
	Duration time.Duration

	// Mode is ModeEvent unless set.
	Mode Mode

	// MaxEvents ends a run with a failure of kind limit after so many simulator
	// events; 0 means 10,000,000.
	MaxEvents int

	// AllowLimit lets a run that reaches MaxEvents pass. Its final checks are
	// left out.
	AllowLimit bool

	// KeepGoing runs all seeds, also after one has failed.
	KeepGoing bool

	// CheckDeterminism runs every passing seed a second time and fails it with
	// kind determinism if the two runs differ. Failing seeds always run twice.
	CheckDeterminism bool

	// NoCryptoSeed leaves crypto/rand alone. Otherwise it is seeded, which rules
	// out t.Parallel.
	NoCryptoSeed bool

	// Trace is TraceHash unless set.
	Trace Trace

	// Net and Disk configure the simulated network and disks.
	Net  simnet.Config
	Disk simdisk.Config

	// The options below are for goroutine mode; event mode ignores them.

	// Isolate runs each seed in a process of its own, several at once: the test
	// binary runs itself. What a body leaves in variables outside of it does not
	// come back. A process that dies is a failure of its seed, and the others go on.
	// FAULTLINE_ISOLATE=1 does the same in both modes.
	Isolate bool

	// Procs is GOMAXPROCS during a run; 0 means 1. Above 1 no seed is exact.
	Procs int

	// Strategy names what decides over goroutines in an exact run: "random" (the
	// default: any goroutine with equal probability, at a yield rate that the seed
	// picks) or "pct" (priorities that change at a few places, for bugs that need few
	// but particular orderings); see [sched.Strategies]. Without the wrapper it has
	// no effect.
	Strategy string

	// Drain is how much virtual time processes get to return after their
	// contexts were cancelled at the end of a run; 0 means one minute.
	Drain time.Duration

	// StallTimeout is how long a run may make no progress, in real time, before
	// the test binary reports where it is stuck and exits with status 2; 0 means
	// one minute. With Isolate that ends the process of the seed alone.
	StallTimeout time.Duration

	// FailOnLeak fails a seed with kind leak if goroutines are left after Drain.
	FailOnLeak bool

	// NetSim configures the TCP and UDP of processes.
	NetSim netsim.Config
}

// bound is one rule of validate.
type bound struct {
	ok      bool
	name    string
	value   any
	accepts string
}

// validate names every option that is out of range.
func (o Options) validate() error {
	const duration = "0 (the default) or a positive duration"
	bounds := []bound{
		{o.Seeds >= 0 && o.Seeds <= maxSeeds, "Seeds", o.Seeds, "0 (the default) to 1000000"},
		{o.Duration >= 0, "Duration", o.Duration, duration},
		{o.Mode <= ModeGoroutine, "Mode", uint8(o.Mode), "ModeEvent or ModeGoroutine"},
		{o.MaxEvents >= 0, "MaxEvents", o.MaxEvents, "0 (the default) or a positive number"},
		{o.Trace <= TraceFull, "Trace", uint8(o.Trace), "TraceHash or TraceFull"},
	}
	if o.Mode == ModeGoroutine {
		bounds = append(bounds,
			bound{o.Procs >= 0, "Procs", o.Procs, "0 (the default, 1) or a positive number"},
			bound{o.Strategy == "" || slices.Contains(sched.Strategies(), o.Strategy), "Strategy", strconv.Quote(o.Strategy),
				"one of " + strings.Join(sched.Strategies(), ", ")},
			bound{o.Drain >= 0, "Drain", o.Drain, duration},
			bound{o.StallTimeout >= 0, "StallTimeout", o.StallTimeout, duration},
		)
	}
	var errs []error
	for _, b := range bounds {
		if !b.ok {
			errs = append(errs, fmt.Errorf("option %s is %v; it accepts %s", b.name, b.value, b.accepts))
		}
	}
	errs = append(errs, named("Net", o.Net.Validate()), named("Disk", o.Disk.Validate()))
	if o.Mode == ModeGoroutine {
		errs = append(errs, named("NetSim", o.NetSim.Validate()))
	}
	return errors.Join(errs...)
}

// named says which option an error is about.
func named(option string, err error) error {
	if err != nil {
		return fmt.Errorf("option %s: %w", option, err)
	}
	return nil
}

// withDefaults fills in what a zero value stands for. Seeds stays as it is: what it
// means depends on the environment.
func (o Options) withDefaults() Options {
	setDefault(&o.Duration, DefaultDuration)
	setDefault(&o.MaxEvents, DefaultMaxEvents)
	setDefault(&o.Procs, 1)
	setDefault(&o.Strategy, sched.DefaultStrategy)
	setDefault(&o.Drain, DefaultDrain)
	setDefault(&o.StallTimeout, DefaultStallTimeout)
	return o
}

func setDefault[T comparable](p *T, v T) {
	var zero T
	if *p == zero {
		*p = v
	}
}
