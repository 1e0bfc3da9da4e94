// SPDX-License-Identifier: MPL-2.0

package main

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
)

func setVersion(*flag.FlagSet) func(*call) error { return version }

func version(c *call) error {
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	_, err := fmt.Fprintf(c.stdout, "faultline %s %s %s/%s\n", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
