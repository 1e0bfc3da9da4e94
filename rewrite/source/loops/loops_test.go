// SPDX-License-Identifier: MPL-2.0

package loops_test

import (
	"testing"

	"github.com/hmdsefi/faultline/rewrite/source/loops"
	"github.com/hmdsefi/faultline/rewrite/source/sourcetest"
)

func TestGolden(t *testing.T) { sourcetest.Golden(t, loops.Rule()) }
