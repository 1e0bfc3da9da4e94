// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"regexp"
	"runtime"
	"strings"
)

// goroutine is what the runtime's dump says about one.
type goroutine struct {
	id       string
	reason   string // what it waits for, such as "chan receive", or its state
	bubble   string // the number of its synctest bubble, or empty
	run      string // its profiler label
	entry    string // the function that it started with
	synctest bool   // package synctest started it, to hold up a bubble
}

// String gives it the way the toolchain's own test does, without the values of arguments.
func (g goroutine) String() string { return g.entry + "(...) [" + g.reason + "]" }

var (
	header  = regexp.MustCompile(`^goroutine (\d+) \[(.+?)(?:, | labels:|\])`)
	bubble  = regexp.MustCompile(`, synctest bubble (\d+)`)
	labeled = regexp.MustCompile(`[{ ]"?` + label + `"?: "?(\d+)`) // Go 1.26 has quotes
)

// othersInBubble returns the goroutines of the caller's bubble, but the caller.
func othersInBubble() []goroutine {
	all := allGoroutines()
	var others []goroutine
	for _, g := range all[1:] {
		if g.bubble == all[0].bubble && !g.synctest && !strings.HasPrefix(g.reason, "synctest.") {
			others = append(others, g)
		}
	}
	return others
}

// allGoroutines returns all goroutines; the caller is the first.
func allGoroutines() []goroutine {
	buf := make([]byte, 1<<18)
	for {
		if n := runtime.Stack(buf, true); n < len(buf) {
			return parse(string(buf[:n]))
		}
		buf = make([]byte, 4*len(buf))
	}
}

func parse(dump string) []goroutine {
	var list []goroutine
	for block := range strings.SplitSeq(dump, "\n\n") {
		lines := strings.Split(strings.TrimSpace(block), "\n")
		m := header.FindStringSubmatch(lines[0])
		if m == nil {
			continue
		}
		g := goroutine{id: m[1], reason: strings.TrimSuffix(m[2], " (durable)"), entry: entry(lines)}
		g.synctest = strings.Contains(block, "\ncreated by testing/synctest.")
		if m := bubble.FindStringSubmatch(lines[0]); m != nil {
			g.bubble = m[1]
		}
		if m := labeled.FindStringSubmatch(lines[0]); m != nil {
			g.run = m[1]
		}
		list = append(list, g)
	}
	return list
}

// entry gives the function of the outermost frame, without its package.
func entry(lines []string) string {
	outermost := ""
	for _, line := range lines[1:] {
		if strings.HasPrefix(line, "created by ") {
			break
		}
		if !strings.HasPrefix(line, "\t") {
			outermost = line
		}
	}
	if end := strings.LastIndex(outermost, "("); end > 0 {
		outermost = outermost[:end]
	}
	outermost = outermost[strings.LastIndex(outermost, "/")+1:]
	_, function, _ := strings.Cut(outermost, ".")
	return function
}
