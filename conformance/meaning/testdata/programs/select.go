// run

// SPDX-License-Identifier: MPL-2.0

// Select prints what it receives of several channels until all are closed.
package main

import "fmt"

func count(n int) <-chan int {
	c := make(chan int)
	go func() {
		defer close(c)
		for i := range n {
			c <- i
		}
	}()
	return c
}

func main() {
	small, large := count(3), count(5)
	sum := map[string]int{}
	var blocked chan int
loop:
	for {
		select {
		case v, ok := <-small:
			if !ok {
				small = nil
				continue loop
			}
			sum["small"] += v
		case v, ok := <-large:
			if !ok {
				large = nil
				continue loop
			}
			sum["large"] += v
		case blocked <- 1:
			panic("sent on a nil channel")
		}
		if sum["small"] == 3 && sum["large"] == 10 {
			break loop
		}
	}
	fmt.Println(sum)
	select {
	case blocked <- 1:
	default:
		fmt.Println("default")
	}
}
