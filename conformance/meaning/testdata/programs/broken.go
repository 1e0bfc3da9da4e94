// run

// SPDX-License-Identifier: MPL-2.0

// Broken does not build.
package main

func main() {
	for {
		undefined()
	}
}
