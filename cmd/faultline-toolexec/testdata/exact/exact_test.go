// SPDX-License-Identifier: MPL-2.0

package exact_test

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"example.com/exact"
	"github.com/hmdsefi/faultline"
)

// TestExact is a test of a user. PROCS is Options.Procs.
func TestExact(t *testing.T) {
	procs, _ := strconv.Atoi(os.Getenv("PROCS"))
	opts := faultline.Options{Mode: faultline.ModeGoroutine, Seeds: 3, Duration: time.Second, Procs: procs}
	faultline.Run(t, opts, func(w *faultline.World) {
		w.AddProcess("n", func(ctx context.Context, p *faultline.Process) error {
			exact.Scene(p.Logf)
			return nil
		})
	})
}

func TestPlaces(t *testing.T) {
	for _, place := range exact.Places() {
		t.Log(place)
	}
}
