// run

// SPDX-License-Identifier: MPL-2.0

// Varies prints the time, so that it never prints the same.
package main

import (
	"fmt"
	"time"
)

func main() {
	func() { fmt.Println(time.Now().UnixNano()) }()
}
