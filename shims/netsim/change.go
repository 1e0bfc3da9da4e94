// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"sync/atomic"

	"github.com/hmdsefi/faultline/shims/driver"
)

// Operations that do not block on a real socket, such as Close, the deadlines and a
// write that fits into the send buffer, do not wait for the driver either: programs,
// net/http among them, call them with locks held. So the process's side of a socket
// notes by itself that it is closed, and leaves the rest to the driver.

// change has fn run on the driver unless the socket is closed.
func (h *Host) change(key string, closed *atomic.Bool, fn func()) error {
	if closed.Load() {
		return errClosed
	}
	return h.post(key, fn)
}

// closeOnce is change for the fn that closes the socket.
func (h *Host) closeOnce(key string, closed *atomic.Bool, fn func()) error {
	if closed.Swap(true) {
		return errClosed
	}
	return h.post(key, fn)
}

func (h *Host) post(key string, fn func()) error {
	if !h.proc.Alive() {
		return driver.ErrGone
	}
	h.proc.Post(key, fn)
	return nil
}
