// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"testing"

	"github.com/hmdsefi/faultline/rewrite/audit"
	"github.com/hmdsefi/faultline/rewrite/source/sourcetest"
)

func TestGolden(t *testing.T) { sourcetest.GoldenGaps(t, audit.Rule()) }
