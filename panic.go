// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/hmdsefi/faultline/shims/driver"
)

// panicFailure describes a panic. The stack is the one at which it was recovered,
// unless the panic carries a better one.
func panicFailure(v any, stack []byte) *failure {
	value := v
	if p, ok := v.(*driver.Panic); ok {
		value, stack = p.Value, p.Stack
	}
	f := &failure{kind: KindPanic, stack: string(stack)}
	f.check, f.place = panicSite(f.stack)
	f.message = fmt.Sprint(value)
	if err, ok := value.(error); ok {
		f.err = err
	}
	if _, ok := value.(runtime.Error); !ok {
		f.message = fmt.Sprintf("%v (%T)", value, value)
	}
	return f
}

// panicSite returns the function that panicked, and where: the first one below the
// deepest call of panic that is not of the runtime or package sync.
func panicSite(stack string) (function string, at place) {
	if i := strings.LastIndex(stack, "\npanic("); i >= 0 {
		stack = stack[i+1:]
		_, stack, _ = strings.Cut(stack, "\n")
	}
	lines := strings.Split(stack, "\n")
	for i, line := range lines[:len(lines)-1] {
		function, _, ok := cutLast(strings.TrimSpace(line), "(")
		if ok && !strings.HasPrefix(line, "\t") && !standardWait(function) {
			return function, framePlace(lines[i+1])
		}
	}
	return "an unknown function", place{}
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// shortStack keeps the first frames below the panic.
func shortStack(stack string) string {
	const keep = 8 // frames of two lines each
	if i := strings.LastIndex(stack, "\npanic("); i >= 0 {
		stack = stack[i+1:]
	}
	lines := strings.Split(strings.TrimSpace(stack), "\n")
	if len(lines) > 2*keep {
		lines = append(lines[:2*keep], "...")
	}
	return strings.Join(lines, "\n")
}
