// SPDX-License-Identifier: MPL-2.0

package atomics_test

import (
	"testing"

	"github.com/hmdsefi/faultline/rewrite/source/atomics"
	"github.com/hmdsefi/faultline/rewrite/source/sourcetest"
)

func TestGolden(t *testing.T) { sourcetest.Golden(t, atomics.Rule()) }
