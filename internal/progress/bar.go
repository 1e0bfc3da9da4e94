// SPDX-License-Identifier: MPL-2.0

// Package progress owns the line at the foot of a terminal that says how far long
// work has come. It must not know what the work is.
package progress

import (
	"fmt"
	"io"
	"os"
	"time"
)

// Bar is the line. The nil Bar shows nothing. Its methods belong to one goroutine.
type Bar struct {
	out    io.Writer
	begin  time.Time
	unit   string // what is counted, in the plural
	bad    string // what some of them are, such as "failed"
	total  int
	done   int
	failed int
}

// New returns a bar on a file for work on total things, of which some may turn out bad.
// It returns nil if the file is no terminal, so that nobody would see it.
func New(out *os.File, total int, unit, bad string) *Bar {
	if !IsTerminal(out) {
		return nil
	}
	return &Bar{out: out, begin: time.Now(), total: total, unit: unit, bad: bad}
}

// IsTerminal reports whether a file is a character device, which is what is known
// of a terminal without asking the system for more.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Add counts a thing and draws the bar.
func (b *Bar) Add(bad bool) {
	if b == nil {
		return
	}
	b.done++
	if bad {
		b.failed++
	}
	io.WriteString(b.out, eraseLine+b.line(time.Since(b.begin)))
}

// Clear removes the bar, so that other lines can be written.
func (b *Bar) Clear() {
	if b != nil {
		io.WriteString(b.out, eraseLine)
	}
}

// eraseLine goes to the first column and erases from there to the end of the line.
const eraseLine = "\r\x1b[K"

// line is the bar's text after that time.
func (b *Bar) line(elapsed time.Duration) string {
	if b.done == 0 || elapsed <= 0 {
		return fmt.Sprintf("faultline: 0/%d %s", b.total, b.unit)
	}
	left := time.Duration(float64(elapsed) / float64(b.done) * float64(b.total-b.done))
	return fmt.Sprintf("faultline: %d/%d %s, %d %s, %.1f/s, %v left",
		b.done, b.total, b.unit, b.failed, b.bad, float64(b.done)/elapsed.Seconds(), left.Round(time.Second))
}
