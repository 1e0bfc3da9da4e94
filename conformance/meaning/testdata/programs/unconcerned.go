// run

// SPDX-License-Identifier: MPL-2.0

// Unconcerned has nothing that the wrapper could have a part in.
package main

func main() { println("hello") }
