// SPDX-License-Identifier: MPL-2.0

// Package kernel is the deterministic core of a simulation: virtual time, the
// event queue, nodes with incarnations and local clocks, named random streams,
// and the trace with its hash.
//
// A [Sim] is one run of one seed. Everything that happens in it is an event: a
// function that runs at an instant of virtual time, on the goroutine that calls
// [Sim.Step] or one of the Run methods. Events of one instant run in an order
// drawn from the seed. The same program with the same seed therefore runs the
// same events in the same order on every platform, which [Sim.TraceHash] proves.
//
// The package owns time, order, chance, node life and the trace. It knows
// nothing of networks, disks or faults: those are built on its events and hooks.
// It starts no goroutine, reads no wall clock and decides nothing in floating
// point. A Sim and all that belongs to it must be used by one goroutine at a
// time.
package kernel
