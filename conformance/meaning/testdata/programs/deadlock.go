// run

// SPDX-License-Identifier: MPL-2.0

// Deadlock ends since no goroutine can go on.
package main

import "sync"

func main() {
	var mu sync.Mutex
	c := make(chan int)
	go func() {
		mu.Lock()
		c <- 1
		mu.Lock()
	}()
	<-c
	<-c
}
