// SPDX-License-Identifier: MPL-2.0

// Package faultline tests distributed systems inside go test: it runs them in
// virtual time on a simulated network and disk, injects faults, and derives every
// choice from one seed, so that a failing seed is a bug report that anyone can
// run again.
//
// [Run] runs a test body once per seed. The body builds a [World]: nodes,
// planned faults, invariants and final checks. In event mode nodes are callbacks
// on package kernel's events, and a seed replays exactly everywhere. In goroutine
// mode a node may be a [Process]: ordinary Go code that starts goroutines, serves
// net/http and writes files, on a network and a disk that it is handed. Such a
// seed replays exactly when the test binary was built through faultline-toolexec,
// and as well as the Go runtime allows otherwise; the report says which.
//
// The package owns the loop over seeds and attempts, options and environment
// variables, failures and their report. What nodes, networks, disks, faults and
// bubbles are is the business of the packages below it, and it must not know how
// any of them works.
package faultline
