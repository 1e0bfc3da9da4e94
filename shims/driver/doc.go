// SPDX-License-Identifier: MPL-2.0

// Package driver is the border between ordinary goroutines and the simulator.
//
// The goroutines of a process run freely inside a testing/synctest bubble. The
// simulator (package kernel) is a single-goroutine loop. A [Driver] joins them: it
// waits until every other goroutine of the bubble is durably blocked, then applies
// the calls that they queued, or else one simulator event, and waits again. So the
// simulator never runs beside a goroutine that is still busy, and each change of
// the simulated world is followed by everything that the woken goroutines do about
// it, before the next change happens.
//
// The driver keeps two clocks equal: kernel time is the virtual time of the bubble
// since [kernel.Epoch], at every moment at which a call is applied or an event runs.
//
// The package knows nodes and incarnations, and nothing of networks, disks, tests
// or failures. Package netsim and package fsx are built on [Proc.Call].
package driver
