// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"runtime"
	"strconv"
	"strings"
)

// place is a line of the user's sources. The zero value is none.
type place struct {
	file string // as the compiler was given it: absolute, unless -trimpath was
	line int
}

// callerPlace returns where the caller of an exported function was called.
func callerPlace() place {
	_, file, line, _ := runtime.Caller(2)
	return place{file, line}
}

// framePlace reads the line below the name of a function in a stack, such as
// "\t/src/kv.go:17 +0x1d".
func framePlace(text string) place {
	text, _, _ = strings.Cut(strings.TrimSpace(text), " ")
	file, number, _ := cutLast(text, ":")
	line, err := strconv.Atoi(number)
	if err != nil {
		return place{}
	}
	return place{file, line}
}
