// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/hmdsefi/faultline/sched"
)

// goroutine is one goroutine as runtime.Stack prints it.
type goroutine struct {
	id     string
	state  string // such as "chan receive (durable)"
	bubble string // "synctest bubble 7", or empty
	// process is the label of the process to which the goroutine belongs, such as n1#2, or empty.
	process string
	text    string
}

// bubbleGroup is a bubble and the goroutine of it that runs faultline's own code.
type bubbleGroup struct {
	bubble string
	main   string
	buf    []byte // for stacks, kept since it is large
}

// currentGroup returns the group whose main goroutine is the calling one.
func currentGroup() *bubbleGroup {
	var buf [1 << 10]byte
	g := parseGoroutines(string(buf[:runtime.Stack(buf[:], false)]))[0]
	return &bubbleGroup{bubble: g.bubble, main: g.id}
}

// others returns the goroutines of the bubble that are not part of faultline or of
// package synctest, in the order of their creation. The calling goroutine is left out too.
func (b *bubbleGroup) others() []goroutine {
	var list []goroutine
	b.buf = allStacks(b.buf)
	for i, g := range parseGoroutines(string(b.buf)) {
		caller := i == 0
		if !caller && g.bubble == b.bubble && g.id != b.main && !g.machinery() {
			list = append(list, g)
		}
	}
	// The runtime prints them in the order of memory that it uses again and again, which is no part of a run.
	slices.SortFunc(list, func(x, y goroutine) int { return cmp.Compare(x.number(), y.number()) })
	return list
}

// number is the id as a number; later goroutines have greater ones.
func (g goroutine) number() uint64 {
	n, _ := strconv.ParseUint(g.id, 10, 64)
	return n
}

// machinery reports whether the goroutine holds up a bubble.
func (g goroutine) machinery() bool {
	return strings.HasPrefix(g.state, "synctest.Run") || strings.Contains(g.text, "\ncreated by testing/synctest.")
}

// durable reports whether only its own bubble can wake the goroutine.
func (g goroutine) durable() bool { return strings.Contains(g.state, "(durable)") }

// allStacks returns the stacks of all goroutines, in buf if that suffices.
func allStacks(buf []byte) []byte {
	const least, most = 1 << 14, 1 << 26
	buf = buf[:cap(buf)]
	for {
		if len(buf) < least {
			buf = make([]byte, least)
		}
		if n := runtime.Stack(buf, true); n < len(buf) || len(buf) >= most {
			return buf[:n]
		}
		buf = make([]byte, 2*len(buf))
	}
}

// parseGoroutines splits the text of runtime.Stack.
func parseGoroutines(text string) []goroutine {
	var list []goroutine
	for block := range strings.SplitSeq(text, "\n\n") {
		block = strings.TrimSpace(block)
		header, _, _ := strings.Cut(block, "\n")
		rest, ok := strings.CutPrefix(header, "goroutine ")
		if !ok {
			continue
		}
		g := goroutine{text: block}
		g.id, rest, _ = strings.Cut(rest, " ")
		_, rest, _ = strings.Cut(rest, "[")
		rest, labels := cutLabels(rest)
		g.process = labelValue(labels, processLabel)
		for i, part := range strings.Split(rest, ", ") {
			if i == 0 {
				g.state = part
			} else if strings.HasPrefix(part, "synctest bubble ") {
				g.bubble = part
			}
		}
		list = append(list, g)
	}
	return list
}

// cutLabels splits what follows the bracket in the header of a goroutine. Go 1.26 prints labels inside the brackets, as in
//
//	select, synctest bubble 7 labels:{"key": "value"}]:
//
// and Go 1.27 behind them, quoting only what needs it: select, synctest bubble 7] {key: value}:
func cutLabels(rest string) (state, labels string) {
	for _, begin := range []string{" labels:{", "] {"} {
		if state, labels, ok := strings.Cut(rest, begin); ok {
			return state, labels
		}
	}
	state, _, _ = cutLast(rest, "]")
	return state, ""
}

// labelValue finds the value of a label in a list of them.
func labelValue(labels, key string) string {
	labels = strings.ReplaceAll(labels, strconv.Quote(key), key)
	_, rest, ok := strings.Cut(labels, key+": ")
	if !ok {
		return ""
	}
	if quoted, err := strconv.QuotedPrefix(rest); err == nil {
		value, _ := strconv.Unquote(quoted)
		return value
	}
	return rest[:strings.IndexAny(rest+",", ",}")]
}

// place returns the function and the position where the goroutine is, skipping what
// only carries out a wait for its caller: the runtime, package sync, the points of the
// wrapper, and calls into the operating system or the simulated world. A goroutine
// that has nothing else, such as one of faultline's own, is in one of the latter.
func (g goroutine) place() string {
	found := "an unknown place"
	lines := strings.Split(g.text, "\n")
	for i := 1; i+1 < len(lines); i += 2 {
		function, _, _ := cutLast(lines[i], "(")
		position, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +0x")
		file, _, _ := cutLast(position, ":")
		if standardWait(function) || sched.IsPoint(file) {
			continue
		}
		found = function + " at " + position
		if !g.blocked() || !waitsOutside(function) {
			break
		}
	}
	return found
}

// blocked reports whether the goroutine waits for something.
func (g goroutine) blocked() bool { return !strings.HasPrefix(g.state, "run") }

// waitsOutside reports whether a function waits for the operating system or the simulated world.
func waitsOutside(function string) bool {
	return sched.IsSimulator(function) || hasPrefix(function, "internal/poll.", "os.", "os/exec.", "net.", "syscall.")
}

// standardWait reports whether a function only carries out a wait, or a panic, for its caller.
func standardWait(function string) bool {
	return hasPrefix(function, "runtime.", "sync.", "internal/sync.", "time.Sleep")
}

func hasPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(s, prefix) })
}

// summary says of which process the goroutine is, what it waits for and where.
func (g goroutine) summary() string {
	text := g.state + ": " + g.place()
	if g.process != "" {
		text = g.process + ": " + text
	}
	return text
}

// summarize lists goroutines one per line.
func summarize(list []goroutine) string {
	lines := make([]string, len(list))
	for i, g := range list {
		lines[i] = g.summary()
	}
	return strings.Join(lines, "\n")
}

// crowd is the goroutines with the same summary.
type crowd struct {
	goroutine // one of them
	size      int
}

// crowds groups goroutines by where they block, the largest group first.
func crowds(list []goroutine) []crowd {
	var groups []crowd
	places := make(map[string]int) // in groups, by summary
	for _, g := range list {
		i, known := places[g.summary()]
		if !known {
			i = len(groups)
			places[g.summary()] = i
			groups = append(groups, crowd{goroutine: g})
		}
		groups[i].size++
	}
	slices.SortStableFunc(groups, func(a, b crowd) int { return b.size - a.size })
	return groups
}

// leakMessage is the message of a failure of kind leak.
func leakMessage(list []goroutine) string {
	return fmt.Sprintf("%d goroutines are left after Options.Drain:\n%s", len(list), summarize(list))
}

// stacks prints goroutines whole, as goroutines.txt holds them.
func stacks(list []goroutine) string {
	var b strings.Builder
	for _, g := range list {
		b.WriteString(g.text + "\n\n")
	}
	return b.String()
}
