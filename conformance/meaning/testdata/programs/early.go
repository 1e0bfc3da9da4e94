// run

// SPDX-License-Identifier: MPL-2.0

// Early starts a goroutine before main, so that it must be the only program of its binary.
package main

var early = make(chan string)

func init() {
	go func() { early <- "early" }()
}

func main() { print(<-early, "\n") }
