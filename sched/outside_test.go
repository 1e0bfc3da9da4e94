// SPDX-License-Identifier: MPL-2.0

package sched

import "testing"

// Where a goroutine goes on is shown in lines of the program: neither the runtime's nor those of the file that the wrapper adds.
func TestMachinery(t *testing.T) {
	for _, c := range []struct {
		function, file string
		want           bool
	}{
		{"runtime.chanrecv1", "/usr/local/go/src/runtime/chan.go", true},
		{"internal/sync.(*Mutex).faultlineLock", "/usr/local/go/src/internal/sync/zfaultline_point.go", true},
		{"sync.(*WaitGroup).Wait", "/usr/local/go/src/sync/waitgroup.go", true},
		{"time.Sleep", "/usr/local/go/src/runtime/time.go", true},
		{"example.com/desk.faultline_Point", "faultline/_faultline.go", true},
		{"example.com/desk.(*Stock).Take", "/home/gopher/desk/stock.go", false},
		{"example.com/desk.faultline", "/home/gopher/desk/not_faultline.go", false},
		{"net/http.(*conn).serve", "/usr/local/go/src/net/http/server.go", false},
	} {
		if got := isMachinery(c.function, c.file); got != c.want {
			t.Errorf("%s in %s: %t", c.function, c.file, got)
		}
	}
}

// Nor are those of the simulator where the program waits for it.
func TestSimulator(t *testing.T) {
	for function, want := range map[string]bool{
		"github.com/hmdsefi/faultline.(*Process).Do":                true,
		"github.com/hmdsefi/faultline/shims/netsim.(*TCPConn).Read": true,
		"github.com/hmdsefi/faultline/examples/kv.(*Store).Put":     false,
		"github.com/hmdsefi/faultline_test.world":                   false,
		"net/http.(*persistConn).roundTrip":                         false,
	} {
		if got := IsSimulator(function); got != want {
			t.Errorf("%s: %t", function, got)
		}
	}
}
