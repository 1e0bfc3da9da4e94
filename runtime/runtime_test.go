// SPDX-License-Identifier: MPL-2.0

package runtime_test

import (
	"bytes"
	"os"
	"testing"
	"testing/synctest"

	seam "github.com/hmdsefi/faultline/runtime"
	"github.com/hmdsefi/faultline/runtime/std"
)

// The wrapper knows the plain files that it replaces by their content.
func TestWrapperKnowsPlainFiles(t *testing.T) {
	for name, want := range map[string]struct {
		text []byte
		copy string
	}{
		"plain.go":         {std.Plain, "std/faultline/plain.go.txt"},
		"../gaps/plain.go": {std.GapsPlain, "std/faultline/gaps_plain.go.txt"},
	} {
		plain, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(plain, want.text) {
			t.Errorf("%s and %s differ; copy the first to the second", name, want.copy)
		}
	}
}

func TestCensusOfPlainBuildIsZero(t *testing.T) {
	if seam.Present {
		t.Skip("built through the wrapper")
	}
	seam.Arm(1, nil)
	synctest.Test(t, func(t *testing.T) { seam.Point() })
	if c := seam.ReadCensus(); c != (seam.Census{}) {
		t.Errorf("ReadCensus() = %+v, want zeros", c)
	}
	if _, ok := seam.ReadWakeup(0); ok {
		t.Error("ReadWakeup(0) found one")
	}
}

// first is the strategy that always picks the first goroutine.
//
//go:norace
func first(kind, n uint32) uint32 { return 0 }

func TestCensusCountsPoints(t *testing.T) {
	if !seam.Present {
		t.Skip("needs the seam: go test -toolexec=faultline-toolexec")
	}
	count := func(points int) uint64 {
		seam.Arm(1, first)
		synctest.Test(t, func(t *testing.T) {
			for range points {
				seam.Point()
			}
		})
		return seam.ReadCensus().Points
	}
	count(0)
	if got := count(100) - count(0); got != 100 {
		t.Errorf("100 points more counted as %d", got)
	}
}
