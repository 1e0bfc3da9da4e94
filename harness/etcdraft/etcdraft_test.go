// SPDX-License-Identifier: MPL-2.0

package etcdraft_test

import (
	"testing"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/harness/etcdraft"
)

func TestPresets(t *testing.T) {
	for _, preset := range etcdraft.Presets() {
		t.Run(string(preset), func(t *testing.T) {
			etcdraft.Test(t, faultline.Options{}, etcdraft.Config{Preset: preset})
		})
	}
}
