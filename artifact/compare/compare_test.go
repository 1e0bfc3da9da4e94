// SPDX-License-Identifier: MPL-2.0

package compare_test

import (
	"os"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/artifact/compare"
	"github.com/hmdsefi/faultline/sched/decisions"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// made returns a run of these records, of nodes a and b.
func made(records ...kernel.Record) *artifact.Run {
	for i := range records {
		records[i].Seq = uint64(i + 1)
	}
	return &artifact.Run{
		Report:  artifact.Report{Status: artifact.Pass, Test: "TestX", Nodes: []artifact.Node{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}}},
		Records: records,
	}
}

func sent(node kernel.NodeID, text string) kernel.Record {
	return kernel.Record{Node: node, Inc: 1, Kind: "net.send", Text: text}
}

func TestRuns(t *testing.T) {
	x, y := sent(1, "x"), sent(2, "y")
	fault := kernel.Record{Node: 1, Kind: "fault.crash", Text: "a", Attrs: []kernel.Attr{{Key: "id", Value: "1"}}}
	renumbered := fault
	renumbered.Attrs = []kernel.Attr{{Key: "id", Value: "2"}}
	attrs := x
	attrs.Attrs = []kernel.Attr{{Key: "k", Value: "v"}}
	for name, c := range map[string]struct {
		a, b         *artifact.Run
		record       int
		same         bool
		counts       int
		onlyA, onlyB int
	}{
		"equal":                 {made(x, y), made(x, y), 2, true, 0, 0, 0},
		"nothing":               {made(), made(), 0, true, 0, 0, 0},
		"one goes on":           {made(x), made(x, y), 1, false, 1, 0, 0},
		"another text":          {made(x, y), made(x, sent(2, "z")), 1, false, 0, 0, 0},
		"another node":          {made(x), made(sent(2, "x")), 0, false, 2, 0, 0},
		"other attributes":      {made(x), made(attrs), 0, false, 0, 0, 0},
		"a fault of one":        {made(x, fault), made(x), 1, false, 1, 1, 0},
		"a fault renumbered":    {made(x, fault), made(renumbered, x), 0, false, 0, 0, 0},
		"a fault twice":         {made(fault), made(fault, renumbered), 1, false, 1, 0, 1},
		"nodes without a name":  {made(sent(7, "x")), made(sent(7, "x")), 1, true, 0, 0, 0},
		"one of them is empty":  {made(), made(x), 0, false, 1, 0, 0},
		"the node has no match": {made(sent(1, "x")), made(sent(3, "x")), 0, false, 2, 0, 0},
	} {
		d := compare.Runs(c.a, c.b)
		if d.Record != c.record || d.Same() != c.same || len(d.Counts) != c.counts || len(d.OnlyA) != c.onlyA || len(d.OnlyB) != c.onlyB {
			t.Errorf("%s: %+v", name, d)
		}
		var text strings.Builder
		if err := d.Write(&text, compare.Options{}); err != nil || text.Len() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDecisions(t *testing.T) {
	at := func(place string) decisions.Decision {
		return decisions.Decision{Goroutine: 2, Waiting: 1, Place: place}
	}
	log := func(list ...decisions.Decision) *decisions.Log { return &decisions.Log{Decisions: list} }
	for name, c := range map[string]struct {
		a, b *decisions.Log
		want int
		same bool
	}{
		"neither":           {nil, nil, -1, true},
		"one":               {log(at("f x.go:1")), nil, -1, true},
		"equal":             {log(at("f x.go:1")), log(at("f x.go:1")), 1, true},
		"a line was added":  {log(at("f x.go:1")), log(at("f x.go:2")), 1, true},
		"another function":  {log(at("f x.go:1")), log(at("g x.go:1")), 0, false},
		"one goes on":       {log(at("f x.go:1")), log(at("f x.go:1"), at("f x.go:1")), 1, false},
		"another goroutine": {log(at("f x.go:1")), log(decisions.Decision{Goroutine: 3, Place: "f x.go:1"}), 0, false},
	} {
		a, b := made(), made()
		a.Decisions, b.Decisions = c.a, c.b
		if d := compare.Runs(a, b); d.Decision != c.want || d.Same() != c.same {
			t.Errorf("%s: %d decisions, same %v", name, d.Decision, d.Same())
		}
	}
}

func TestNearest(t *testing.T) {
	x, y, z := sent(1, "x"), sent(1, "y"), sent(2, "z")
	n := compare.Nearest{Run: made(x, y)}
	far, near, nearer, same := made(z, y), made(x, z, z), made(x, z), made(x, z)
	for _, c := range []struct {
		run  *artifact.Run
		want bool
	}{{far, true}, {near, true}, {nearer, true}, {far, false}, {same, false}} {
		if got := n.Offer(c.run); got != c.want {
			t.Errorf("Offer(%v) = %v", c.run.Records, got)
		}
	}
	if n.Best != nearer {
		t.Errorf("the nearest is %v", n.Best.Records)
	}
}

// Many differences are cut, and colour changes nothing but colour.
func TestWriteIsShortAndPlain(t *testing.T) {
	var a, b []kernel.Record
	for i := range 100 {
		a = append(a, kernel.Record{At: kernel.Time(i), Node: 1, Kind: kernel.Kind("fault." + strings.Repeat("x", i))})
		b = append(b, kernel.Record{At: kernel.Time(i), Node: 2, Kind: "b\x1b[2J"})
	}
	d := compare.Runs(made(a...), made(b...))
	var plain, coloured strings.Builder
	if err := d.Write(&plain, compare.Options{Context: 3}); err != nil {
		t.Fatal(err)
	}
	if err := d.Write(&coloured, compare.Options{Context: 3, Color: true}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(plain.String(), "\n"); n > 60 || strings.Contains(plain.String(), "\x1b") || !strings.Contains(plain.String(), "and 81 more") {
		t.Errorf("%d lines\n%s", n, &plain)
	}
	text := coloured.String()
	for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[33m", "\x1b[36m"} {
		if !strings.Contains(text, code) && code != "\x1b[2m" {
			t.Errorf("no %q", code)
		}
		text = strings.ReplaceAll(text, code, "")
	}
	if text != plain.String() {
		t.Error("colour changes the text")
	}
}

func ExampleRuns() {
	ack := sent(2, "ack")
	ack.At = 9
	passed := made(sent(1, "put"), ack)
	failed := made(sent(1, "put"), kernel.Record{At: 7, Node: 2, Inc: 1, Kind: "fault.crash", Text: "b"}, kernel.Record{At: 9, Kind: kernel.KindFail})
	compare.Runs(failed, passed).Write(os.Stdout, compare.Options{})
	// Output:
	// A TestX/seed=0x0000000000000000: pass, 3 records, 0 events, trace hash 0x0000000000000000
	// B TestX/seed=0x0000000000000000: pass, 2 records, 0 events, trace hash 0x0000000000000000
	//
	// 1 records are equal; the first difference:
	//   1  0.000000000s  a#1  net.send     put
	// A 2  0.000000007s  b#1  fault.crash  b
	// A 3  0.000000009s       fail
	// B 2  0.000000009s  b#1  net.send     ack
	//
	// records by node and kind until t=0.000000009s, where the numbers differ:
	//   node  kind               A        B       B-A
	//         fail               1        0        -1
	//   b     fault.crash        1        0        -1
	//   b     net.send           0        1        +1
	//
	// faults until t=0.000000009s that only one of them has:
	// A 2  0.000000007s  b#1  fault.crash  b
}
