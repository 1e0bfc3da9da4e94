// SPDX-License-Identifier: MPL-2.0

// Package simdisk simulates the disks of a world: one volume of files and
// directories for each node, and what a crash leaves of it.
//
// A file has two images. Reads and writes see the live one. The durable one is what
// the medium holds: a sync brings it up to date. Between the two lies the ordered
// list of unsynced changes, and when the node crashes the crash model decides which
// of them the medium got. Directories work alike: with strict metadata, a created,
// renamed or removed entry is durable once its directory is synced, and a crash
// keeps a prefix of the entry changes that were not.
//
// An operation takes effect at once and takes no virtual time. Whoever simulates
// the caller's waiting charges [Volume.Latency] for it.
//
// All random choices come from the simulator's stream disk/<node>. Everything here
// belongs to the simulator's goroutine. The package knows kernel only: not who
// reads the files, and not which faults are planned.
package simdisk
