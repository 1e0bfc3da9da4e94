// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

func init() {
	register("Counted", Counted)
}

// helper has a loop of its own, which stays.
func helper(n int) {
	for i := 0; i < n; i++ {
		fmt.Sprint(i)
	}
}

func Counted() {
	prof := pprof.Lookup("goroutineleak")
	defer func() {
		// Wait for the copies.
		time.Sleep(100 * time.Millisecond)
		for i := 0; i < yieldCount; i++ {
			runtime.Gosched()
		}
		prof.WriteTo(os.Stdout, 2)
	}()

	const copies = 300
	for i := 0; i < copies; i++ {
		go func() {
			for i := 0; i < 3; i++ { // stays too
				helper(i)
			}
		}()
	}
	for n := 0; n <= 10; n++ {
		go helper(n)
	}
}
