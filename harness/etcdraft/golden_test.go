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
	etcdraft.PresetDefault: {"7f6351469b8b4fed", "36d2f18c21be40c8", "add9502b5a29ee25"},
	etcdraft.PresetNetwork: {"9a9984e943a4cf50", "05ab7ee1754d131c", "2f48acb965c618bb"},
	etcdraft.PresetCrash:   {"6559912386f31a07", "0ecb28eed93fdcf3", "bf43ec8c75e32d4b"},
	etcdraft.PresetNone:    {"23ca89d95a38fba8", "9f388a440c79c6b8", "7b75141fd0a32696"},
}

func TestGoldenHashes(t *testing.T) {
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
