// run

// SPDX-License-Identifier: MPL-2.0

// Differs prints a hash of its own binary, so that its two builds must differ.
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
)

func main() {
	defer recover()
	name, err := os.Executable()
	if err != nil {
		panic(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%x\n", sha256.Sum256(text))
}
