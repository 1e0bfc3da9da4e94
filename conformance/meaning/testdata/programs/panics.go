// run one two

// SPDX-License-Identifier: MPL-2.0

// Panics ends in a panic of a closure, after one that is recovered. The stack names lines.
package main

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
)

func try(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered: %v", r)
		}
	}()
	f()
	return nil
}

func main() {
	fmt.Println(os.Args[1:])
	var calls atomic.Int32
	fmt.Println(try(func() { calls.Add(1); panic(errors.New("first")) }))
	var nothing *[2]int
	fmt.Println(try(func() { calls.Add(1); fmt.Println(nothing[calls.Load()-1]) }))
	func() {
		_, _ = calls.Add(1), func() { panic(fmt.Sprint("last of ", calls.Load())) }
		panic(calls.Load())
	}()
}
