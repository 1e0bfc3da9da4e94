// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/hmdsefi/faultline/rewrite/seam"
)

// runVersion prints the wrapper's version, what it was built with and which seam it carries.
func runVersion(_ context.Context, args []string) (int, error) {
	if len(args) > 0 {
		return 0, errUsage
	}
	_, err := fmt.Printf("faultline-toolexec %s %s %s/%s seam %.12s\n", version(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH, seam.Fingerprint())
	return 0, err
}
