// SPDX-License-Identifier: MPL-2.0

//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package fsx

import "syscall"

const (
	shared    = syscall.LOCK_SH
	exclusive = syscall.LOCK_EX
	noWait    = syscall.LOCK_NB
	unlock    = syscall.LOCK_UN
)

// flock waits in the system call, and again if a signal ends it.
func flock(fd uintptr, how int) (granted bool, err error) {
	for {
		switch err := syscall.Flock(int(fd), how); err {
		case nil:
			return true, nil
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return false, nil
		default:
			return false, err
		}
	}
}
