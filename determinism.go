// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/sched"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// checkpoints are trace hashes of a run at regular intervals: they tell where a run
// of which no records were kept left the path of another.
type checkpoints struct {
	stride int // events from one to the next
	hashes []uint64
}

const maxCheckpoints = 4096

// add takes a checkpoint if one is due after the present event.
func (c *checkpoints) add(s *kernel.Sim) {
	if c.stride == 0 {
		c.stride = 1
	}
	if s.Events() < (len(c.hashes)+1)*c.stride {
		return
	}
	if len(c.hashes) == maxCheckpoints {
		for i := range maxCheckpoints / 2 {
			c.hashes[i] = c.hashes[2*i+1]
		}
		c.hashes = c.hashes[:maxCheckpoints/2]
		c.stride *= 2
		return
	}
	c.hashes = append(c.hashes, s.TraceHash())
}

// compare returns the last event up to which both runs are known to agree, and the
// first one by which they are known to differ; 0 if none is known.
func (c checkpoints) compare(d checkpoints) (agree, differ int) {
	stride := max(c.stride, d.stride)
	for event := stride; ; event += stride {
		x, ok := c.at(event)
		y, also := d.at(event)
		if !ok || !also {
			return agree, 0
		}
		if x != y {
			return agree, event
		}
		agree = event
	}
}

func (c checkpoints) at(event int) (uint64, bool) {
	if c.stride == 0 || event%c.stride != 0 || event/c.stride > len(c.hashes) {
		return 0, false
	}
	return c.hashes[event/c.stride-1], true
}

// sameRun reports whether two attempts at a seed were the same run.
func sameRun(a, b *outcome) bool {
	return a.hash == b.hash && a.events == b.events && a.verdict() == b.verdict()
}

// determinismFailure describes how runs of one seed differ. first was the run that
// was compared; x and y are recorded runs, of which x may be first itself.
func determinismFailure(first, x, y *outcome, causes string) *failure {
	f := &failure{kind: KindDeterminism, check: "trace"}
	var b strings.Builder
	fmt.Fprintf(&b, "first run:  trace hash %016x, %d events, %s\n", first.hash, first.events, first.verdict())
	fmt.Fprintf(&b, "second run: trace hash %016x, %d events, %s\n", y.hash, y.events, y.verdict())
	if i := firstDifference(x.records, y.records); i >= 0 {
		f.at = describeDifference(&b, x, y, i)
		f.event = firstEvent(x, y)
	} else {
		agree, differ := first.marks.compare(y.marks)
		describeWindow(&b, agree, differ)
		f.event = differ
	}
	b.WriteString(causes)
	f.message = b.String()
	return f
}

// firstEvent returns the first event by which two runs are known to differ.
func firstEvent(x, y *outcome) int {
	if _, differ := x.marks.compare(y.marks); differ > 0 {
		return differ
	}
	return min(x.events, y.events)
}

// firstDifference returns the index of the first record in which two runs differ, or
// -1 if they do not.
func firstDifference(a, b []kernel.Record) int {
	n := min(len(a), len(b))
	for i := range n {
		if !sameRecord(a[i], b[i]) {
			return i
		}
	}
	if len(a) != len(b) {
		return n
	}
	return -1
}

func sameRecord(a, b kernel.Record) bool {
	return a.At == b.At && a.Node == b.Node && a.Inc == b.Inc && a.Kind == b.Kind &&
		a.Cause == b.Cause && a.Text == b.Text && slices.Equal(a.Attrs, b.Attrs)
}

// describeDifference shows the first record in which two runs differ, and when that is.
func describeDifference(b *strings.Builder, x, y *outcome, i int) (at kernel.Time) {
	if i > 0 {
		fmt.Fprintf(b, "last record in common: %s\n", x.recordLine(i-1))
	}
	fmt.Fprintf(b, "then one run has:      %s\n", x.recordLine(i))
	fmt.Fprintf(b, "and another has:       %s\n", y.recordLine(i))
	for _, o := range []*outcome{x, y} {
		if i < len(o.records) {
			at = max(at, o.records[i].At)
		}
	}
	return at
}

func describeWindow(b *strings.Builder, agree, differ int) {
	switch {
	case differ == 0:
		fmt.Fprintf(b, "the runs agree up to event %d, the last one compared\n", agree)
	default:
		fmt.Fprintf(b, "the runs agree up to event %d and differ after event %d; later runs did not differ again\n", agree, differ)
	}
}

// recordLine is a record on one line.
func (o *outcome) recordLine(i int) string {
	if i >= len(o.records) {
		return "no further record"
	}
	r := o.records[i]
	var b strings.Builder
	fmt.Fprintf(&b, "#%d %v", r.Seq, r.At)
	if n := int(r.Node) - 1; n >= 0 && n < len(o.nodes) {
		fmt.Fprintf(&b, " %s#%d", o.nodes[n].Name, r.Inc)
	}
	fmt.Fprintf(&b, " %s %s", r.Kind, r.Text)
	for _, a := range r.Attrs {
		fmt.Fprintf(&b, " %s=%s", a.Key, a.Value)
	}
	return b.String()
}

// likelyCauses says where to look, depending on what faultline controlled.
func (r *runner) likelyCauses() string {
	const everywhere = `likely causes:
  state that outlives a run: package variables, caches, sync.Once
  time.Now, os, net or other real I/O instead of the simulated world
`
	switch {
	case r.opts.Mode == ModeEvent:
		return everywhere + `  math/rand's global functions instead of World.Rand or Node.Rand
  the order of a map range, of goroutines, or of a select`
	case r.exact:
		return everywhere + `  goroutines that were started before the run, or wake-ups from outside it
  printed addresses, finalizers, weak pointers; see toolexec-gaps.txt`
	case sched.Available():
		return everywhere + fmt.Sprintf(`  the Go runtime's own choices, such as which goroutine runs first
for an exact run set Options.Procs to 1; it is %d`, r.opts.Procs)
	}
	return everywhere + `  the Go runtime's own choices, such as which goroutine runs first, the order of a map or a select
for an exact run, in which the seed makes these choices, build through the wrapper:
  go get -tool ` + wrapperPackage + ` # once
  ` + r.origin.exactCommand(r.t.Name())
}

// wrapperPackage is the command that makes a run exact.
const wrapperPackage = "github.com/hmdsefi/faultline/cmd/" + wrapper
