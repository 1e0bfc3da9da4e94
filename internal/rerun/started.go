// SPDX-License-Identifier: MPL-2.0

package rerun

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
)

var (
	task  = take(taskVariable)
	dir   = take(dirVariable)
	words = make(chan string, 1)
)

// take reads a variable and hides it from the processes that a test starts.
func take(name string) string {
	value := os.Getenv(name)
	os.Unsetenv(name)
	return value
}

// Tests must not be able to keep an orphan alive, so the lifeline is held before any of their code runs.
func init() {
	if task == "" {
		return
	}
	lifeline := os.Stdin
	if null, err := os.Open(os.DevNull); err == nil {
		os.Stdin = null // as the go command has it
	}
	go listen(lifeline)
}

// listen takes lines until the process at the other end is gone. Then nobody waits for this one, or will tidy up.
func listen(lifeline *os.File) {
	for lines := bufio.NewReader(lifeline); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			const tries = 100 // the test goes on, and may make files
			for n := 0; n < tries && os.RemoveAll(dir) != nil; n++ {
			}
			os.Exit(1)
		}
		words <- strings.TrimSuffix(line, "\n")
	}
}

// Task returns what the process that started this one asks of it. It reports false
// in a process that was started in another way.
func Task() (text string, started bool) { return task, task != "" }

// File returns the path of a file that the starting process knows as Process.File(name).
func File(name string) string { return filepath.Join(dir, name) }

// Await waits for a line of the starting process. It must not be called in a bubble.
func Await() string { return <-words }

// mark is what no test prints.
const mark = "\x00faultline rerun\x00\n"

// Mark marks a place in the output of this process. Two of them tell what a test
// prints from what package testing does.
func Mark() {
	os.Stdout.WriteString(mark)
	os.Stderr.WriteString(mark)
}

// Unmarked returns an output without the marks.
func Unmarked(output string) string { return strings.ReplaceAll(output, mark, "") }

// Marked returns what an output has between two marks, or after the only one.
func Marked(output string) string {
	_, after, _ := strings.Cut(output, mark)
	between, _, _ := strings.Cut(after, mark)
	return between
}
