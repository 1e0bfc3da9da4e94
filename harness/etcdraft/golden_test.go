// SPDX-License-Identifier: MPL-2.0

package etcdraft_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/harness/etcdraft"
)

// golden has the trace hashes of three seeds of each preset. They are the same on
// every platform and with every toolchain that is known. A change of one is a change
// of what every seed means: bump it knowingly.
var golden = map[etcdraft.Preset][]string{
	etcdraft.PresetDefault: {"1d924b64eba67c9b", "0de7a83da1b54f05", "d1cdcdd7d43fd442"},
	etcdraft.PresetNetwork: {"24ccb6e06a4166d0", "e66a01c8fa2179d4", "c8033e22fe3afc50"},
	etcdraft.PresetCrash:   {"83cfc76c2354b20d", "b09e1f607fc20ddb", "b17fc3c39d446937"},
	etcdraft.PresetNone:    {"95b3b7bb10be5761", "07c770fceb1b7438", "71a18c1da344cbab"},
}

func TestGoldenHashes(t *testing.T) {
	for _, name := range []string{"FAULTLINE_SEED", "FAULTLINE_SEEDS", "FAULTLINE_BASE_SEED", "FAULTLINE_SEED_LIST", "FAULTLINE_EXPLORE"} {
		t.Setenv(name, "") // other seeds have other hashes
	}
	for _, preset := range etcdraft.Presets() {
		t.Run(string(preset), func(t *testing.T) {
			var hashes []string
			opts := faultline.Options{Seeds: 3, BaseSeed: 1, Duration: etcdraft.MinDuration}
			faultline.Run(t, opts, func(w *faultline.World) {
				if _, err := etcdraft.New(w, etcdraft.Config{Preset: preset, Duration: opts.Duration}); err != nil {
					w.T().Fatal(err)
				}
				w.Final("hash", func() error {
					hashes = append(hashes, fmt.Sprintf("%016x", w.Sim.TraceHash()))
					return nil
				})
			})
			if want := golden[preset]; !testing.Short() && !slices.Equal(hashes, want) {
				t.Errorf("%q, want %q", hashes, want)
			}
		})
	}
}
