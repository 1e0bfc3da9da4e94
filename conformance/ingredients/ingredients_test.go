// SPDX-License-Identifier: MPL-2.0

package ingredients_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hmdsefi/faultline/conformance/ingredients"
)

func TestProgramsEndInAPlainBubble(t *testing.T) {
	for _, in := range ingredients.All() {
		t.Run(in.Name, func(t *testing.T) {
			if in.NeedsSeam {
				t.Skip("holds a lock while it waits")
			}
			synctest.Test(t, func(t *testing.T) {
				log := ingredients.NewLog()
				in.Run(log)
				if strings.HasSuffix(log.String(), "/0") {
					t.Error("logged nothing")
				}
			})
		})
	}
}

func TestNamesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, in := range ingredients.All() {
		if seen[in.Name] {
			t.Errorf("two programs are called %q", in.Name)
		}
		seen[in.Name] = true
	}
}
