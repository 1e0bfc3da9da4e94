// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"fmt"
	"io"
	"os"
	"testing"
	"time"
)

// progressBar is a line at the foot of a terminal. The nil bar shows nothing.
type progressBar struct {
	out    io.Writer
	begin  time.Time
	total  int
	done   int
	failed int
}

// newProgressBar returns a bar if a person would see it and sees nothing else: go test -v
// has a line for each seed.
func newProgressBar(total int) *progressBar {
	info, err := os.Stderr.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 || testing.Verbose() {
		return nil
	}
	return &progressBar{out: os.Stderr, begin: time.Now(), total: total}
}

// add counts a seed and draws the bar.
func (b *progressBar) add(failed bool) {
	if b == nil {
		return
	}
	b.done++
	if failed {
		b.failed++
	}
	io.WriteString(b.out, eraseLine+b.line(time.Since(b.begin)))
}

// clear removes the bar, so that other lines can be written.
func (b *progressBar) clear() {
	if b != nil {
		io.WriteString(b.out, eraseLine)
	}
}

// eraseLine goes to the first column and erases from there to the end of the line.
const eraseLine = "\r\x1b[K"

// line is the bar's text after that time.
func (b *progressBar) line(elapsed time.Duration) string {
	if b.done == 0 || elapsed <= 0 {
		return fmt.Sprintf("faultline: 0/%d seeds", b.total)
	}
	left := time.Duration(float64(elapsed) / float64(b.done) * float64(b.total-b.done))
	return fmt.Sprintf("faultline: %d/%d seeds, %d failed, %.1f/s, %v left",
		b.done, b.total, b.failed, float64(b.done)/elapsed.Seconds(), left.Round(time.Second))
}
