// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"

	"github.com/hmdsefi/faultline/shims/driver"
)

// goneError is what a dead incarnation gets. Servers and clients that know what to
// do with a closed connection do that.
type goneError struct{ cause error }

func (e goneError) Error() string { return "the process is gone: " + net.ErrClosed.Error() }

func (e goneError) Is(target error) bool { return target == net.ErrClosed || target == driver.ErrGone }

func (e goneError) Unwrap() error { return e.cause }

// canceledError and timeoutError are how a dial reports the end of its context.
type canceledError struct{}

func (canceledError) Error() string        { return "operation was canceled" }
func (canceledError) Is(target error) bool { return target == context.Canceled }

type timeoutError struct{}

func (timeoutError) Error() string        { return "i/o timeout" }
func (timeoutError) Timeout() bool        { return true }
func (timeoutError) Temporary() bool      { return true }
func (timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

func contextError(ctx context.Context) error {
	if ctx.Err() == context.DeadlineExceeded {
		return timeoutError{}
	}
	return canceledError{}
}

// operation is what a caller asked for: how package net names it, and the system call
// in which the real stack meets an errno.
type operation struct{ name, call string }

var (
	opDial     = operation{"dial", "connect"}
	opListen   = operation{"listen", "bind"}
	opAccept   = operation{"accept", "accept"}
	opRead     = operation{"read", "read"}
	opWrite    = operation{"write", "write"}
	opReadFrom = operation{"read", "recvfrom"}
	opWriteTo  = operation{"write", "sendto"}
	opClose    = operation{"close", "close"}
	opSet      = operation{"set", "setsockopt"}
)

// opError wraps err as package net does. source and addr may be nil.
func (h *Host) opError(op operation, network string, source, addr net.Addr, err error) error {
	var errno syscall.Errno
	switch {
	case err == driver.ErrGone:
		err = goneError{context.Cause(h.proc.Context())}
	case errors.As(err, &errno):
		err = os.NewSyscallError(op.call, errno)
	}
	return &net.OpError{Op: op.name, Net: network, Source: source, Addr: addr, Err: err}
}
