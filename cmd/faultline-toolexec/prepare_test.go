// SPDX-License-Identifier: MPL-2.0

package main

import (
	"strings"
	"testing"
)

func TestToolchainNewerThanTheWrapperIsRefused(t *testing.T) {
	tests := []struct {
		builtWith, toolchain string
		ok                   bool
	}{
		{"go1.26.8", "go1.26.0", true},
		{"go1.26.0", "go1.26.8", true},
		{"go1.27.3", "go1.26.8", true},
		{"go1.26.8", "go1.27.3", false},
		{"go1.26.8", "go1.27rc1", false},
	}
	for _, test := range tests {
		err := checkRelease(test.builtWith, test.toolchain)
		if (err == nil) != test.ok {
			t.Errorf("wrapper of %s, toolchain %s: %v", test.builtWith, test.toolchain, err)
		}
		if err != nil && !strings.Contains(err.Error(), "GOTOOLCHAIN="+test.toolchain+" go install") {
			t.Errorf("error %q does not say what to do", err)
		}
	}
}
