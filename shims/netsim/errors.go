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
type operation struct {
	name, call string
	oneEnd     bool // the error names the local address alone, as what it is about
}

var (
	opDial     = operation{name: "dial", call: "connect"}
	opListen   = operation{name: "listen", call: "bind"}
	opAccept   = operation{name: "accept", call: "accept"}
	opRead     = operation{name: "read", call: "read"}
	opWrite    = operation{name: "write", call: "write"}
	opReadFrom = operation{name: "read", call: "recvfrom"}
	opWriteTo  = operation{name: "write", call: "sendto"}
	opClose    = operation{name: "close", call: "close"}
	opShutdown = operation{name: "close", call: "shutdown"}
	opSet      = operation{name: "set", call: "setsockopt", oneEnd: true}
	opOption   = operation{name: "set", call: "setsockopt"}
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
