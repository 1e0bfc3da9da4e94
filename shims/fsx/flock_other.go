// SPDX-License-Identifier: MPL-2.0

//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package fsx

import "errors"

const (
	shared = 1 << iota
	exclusive
	noWait
	unlock
)

// flock has no counterpart here whose locks belong to an open file and can change their mode.
func flock(uintptr, int) (granted bool, err error) { return false, errors.ErrUnsupported }
