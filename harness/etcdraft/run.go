// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"cmp"
	"testing"

	"github.com/hmdsefi/faultline"
)

// Test runs a whole test of raft: [New] in event mode for each seed of opts. The
// length of the run is opts.Duration. A configuration that is not valid, a
// goroutine-mode test and an unseeded crypto/rand fail t before the first seed.
func Test(t *testing.T, opts faultline.Options, c Config) {
	t.Helper()
	c.Duration = cmp.Or(opts.Duration, c.Duration, DefaultDuration)
	opts.Duration = c.Duration
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	if opts.Mode != faultline.ModeEvent {
		t.Fatal("etcdraft: Options.Mode is ModeGoroutine; it accepts ModeEvent")
	}
	if opts.NoCryptoSeed {
		t.Fatal("etcdraft: Options.NoCryptoSeed is set; raft's election timeouts come from crypto/rand, which must be seeded")
	}
	faultline.Run(t, opts, func(w *faultline.World) {
		if _, err := New(w, c); err != nil {
			w.T().Fatal(err)
		}
	})
}
