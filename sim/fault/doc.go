// SPDX-License-Identifier: MPL-2.0

// Package fault owns what goes wrong in a run: faults as data, planners that
// decide on them, the injector that applies them, and the schedule that records
// every one of them so that it can be replayed.
//
// It drives the kernel, the network and the disks through their public
// operations. It must not know why a test wants faults, how a run is started or
// where a schedule is stored; it keeps no goroutines and reads no clock but the
// run's. Nothing in it is safe for concurrent use: all of it belongs to the
// goroutine of the run.
package fault
