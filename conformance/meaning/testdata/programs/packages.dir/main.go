// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"

	"./gate"
)

func main() {
	var g gate.Gate
	go g.Open()
	g.Wait()
	fmt.Println("open")
}
