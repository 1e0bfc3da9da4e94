// SPDX-License-Identifier: MPL-2.0

package netsim_test

import (
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/netsim"
)

// Programs close connections and write to them while they hold a lock that others want.
// A plain bubble counts those others as running, so an operation that waits for the
// driver would never return.
func TestWhatDoesNotBlockMayBeCalledWithALockHeld(t *testing.T) {
	inWorld(t, options{}, func(w *world) {
		w.process("n", func(h *netsim.Host, _ *driver.Proc) {
			ln, err := h.Listen("tcp", ":80")
			if err != nil {
				t.Error(err)
				return
			}
			conn, err := h.Dial("tcp", "n:80")
			if err != nil {
				t.Error(err)
				return
			}
			packets, err := h.ListenPacket("udp", ":53")
			if err != nil {
				t.Error(err)
				return
			}
			withLock(t,
				func() error { _, err := conn.Write([]byte("x")); return err },
				func() error { _, err := packets.WriteTo([]byte("x"), packets.LocalAddr()); return err })
			withLock(t,
				func() error { return conn.SetDeadline(time.Now().Add(time.Second)) },
				func() error { return packets.SetDeadline(time.Now().Add(time.Second)) },
				conn.(*netsim.Conn).CloseWrite, conn.Close, packets.Close, ln.Close)
			for _, closed := range []func() error{conn.Close, packets.Close, ln.Close} {
				if err := closed(); !errors.Is(err, net.ErrClosed) {
					t.Errorf("second Close: %v; want %v", err, net.ErrClosed)
				}
			}
		})
		w.run(time.Second)
	})
}

// withLock runs the operations on goroutines that want the same lock.
func withLock(t *testing.T, ops ...func() error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, op := range ops {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			if err := op(); err != nil && !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
