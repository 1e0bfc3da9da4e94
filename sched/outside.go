// SPDX-License-Identifier: MPL-2.0

package sched

import (
	"fmt"
	"runtime"
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

// place gives "function file:line" of the innermost frame that is a program's own.
func place(pcs []uintptr) string {
	frames := runtime.CallersFrames(pcs)
	for {
		frame, more := frames.Next()
		if frame.Function != "" && !isMachinery(frame.Function, frame.File) || !more {
			return fmt.Sprintf("%s %s:%d", frame.Function, frame.File, frame.Line)
		}
	}
}

// isMachinery reports whether a function is in the standard library's runtime and synchronisation packages, or in the file that the
// wrapper adds to a package with points.
func isMachinery(function, file string) bool {
	for _, prefix := range []string{"runtime.", "internal/", "sync.", "time.", "syscall."} {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return strings.HasSuffix(file, "/_faultline.go")
}
