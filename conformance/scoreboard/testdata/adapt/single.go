// SPDX-License-Identifier: MPL-2.0

package main

import (
	"os"
	"runtime/pprof"
	"time"
)

type locked struct{ wait time.Duration }

func Single() {
	prof := pprof.Lookup("goroutineleak")
	defer println("other deferred calls stay")
	defer func() { prof.WriteTo(os.Stdout, 2) }()
	go time.Sleep((locked{}).wait)
}

func init() { register("Single", Single) }
