// SPDX-License-Identifier: MPL-2.0

package sched

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	seam "github.com/hmdsefi/faultline/runtime"
)

// outsidePlaces names where the goroutines were that something outside the bubble woke, and where that was.
func outsidePlaces() []string {
	var places []string
	for i := 0; ; i++ {
		w, ok := seam.ReadWakeup(i)
		if !ok {
			return places
		}
		waker := "the network poller or a timer of the runtime"
		if len(w.Waker) > 0 {
			waker = place(w.Waker)
		}
		places = append(places, fmt.Sprintf("%s (%s), woken by %s", place(w.Woken), w.Reason, waker))
	}
}

// place gives "function file:line" of the innermost frame that is a program's own, not one of what lets it wait; of the innermost
// frame outside the runtime if there is none.
func place(pcs []uintptr) string {
	frames := runtime.CallersFrames(pcs)
	found := ""
	for {
		frame, more := frames.Next()
		text := fmt.Sprintf("%s %s:%d", frame.Function, frame.File, frame.Line)
		switch runtime := isMachinery(frame.Function, frame.File); {
		case frame.Function != "" && !runtime && !IsSimulator(frame.Function):
			return text
		case found == "" && (frame.Function != "" && !runtime || !more):
			found = text
		}
		if !more {
			return found
		}
	}
}

// isMachinery reports whether a function is in the standard library's runtime and synchronisation packages, or in the file that the
// wrapper adds to a package with points.
func isMachinery(function, file string) bool {
	return hasPrefix(function, "runtime.", "internal/", "sync.", "time.", "syscall.") || IsPoint(file)
}

// IsPoint reports whether a file of a stack is the one that the wrapper adds to packages of users, which has their points.
func IsPoint(file string) bool { return strings.HasSuffix(file, "/_faultline.go") }

// IsSimulator reports whether a function of a stack takes a process into the simulated world, where it waits for an event.
func IsSimulator(function string) bool {
	const module = "github.com/hmdsefi/faultline"
	return hasPrefix(function, module+".", module+"/shims/driver.", module+"/shims/netsim.", module+"/shims/fsx.")
}

func hasPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(s, prefix) })
}
