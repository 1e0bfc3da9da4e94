// SPDX-License-Identifier: MPL-2.0

package gaps

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

var sample = []Gap{
	{File: "kv/store.go", Line: 120, Construct: "fmt %p", Reason: "prints an address"},
	{File: "kv/store.go", Line: 12, Construct: "sync.Map.Range", Reason: "order differs", Cure: "sort the keys"},
	{File: "kv/store.go", Line: 12, Construct: "runtime.SetFinalizer", Reason: "runs when the collector likes", Accepted: "only logs"},
	{File: `C:\kv\a.go`, Line: 0, Construct: "assembly", Reason: "synchronises", Cure: "a\tb", Accepted: "c\nd"},
	{File: "kv/store.go", Line: 120, Construct: "fmt %p", Reason: "prints an address"},
}

const sampleText = `# faultline_gaps 1
# Constructs that the wrapper left unchanged although they can change goroutine order.
# file:line, construct, reason, cure and acceptance, separated by tabs.
C:\\kv\\a.go:0	assembly	synchronises	cure: a\tb	accepted: c\nd
kv/store.go:12	runtime.SetFinalizer	runs when the collector likes	accepted: only logs
kv/store.go:12	sync.Map.Range	order differs	cure: sort the keys
kv/store.go:120	fmt %p	prints an address
`

func TestWriteSortsAndKeepsItsInput(t *testing.T) {
	before := slices.Clone(sample)
	var out strings.Builder
	if err := Write(&out, sample); err != nil {
		t.Fatal(err)
	}
	if out.String() != sampleText {
		t.Errorf("Write wrote\n%s\nwant\n%s", out.String(), sampleText)
	}
	if !slices.Equal(sample, before) {
		t.Error("Write changed its argument")
	}
}

func TestReadReturnsWhatWriteWrote(t *testing.T) {
	got, err := Read(strings.NewReader(sampleText))
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(sample)
	Sort(want)
	if want = slices.Compact(want); !slices.Equal(got, want) {
		t.Errorf("Read = %+v, want %+v", got, want)
	}
}

func TestReadNamesTheLine(t *testing.T) {
	const head = "# faultline_gaps 1\n"
	for name, c := range map[string]struct{ text, want string }{
		"empty":            {"", "line 1: want \"# faultline_gaps 1\""},
		"no header":        {"a.go:1\tx\ty\n", "line 1: want"},
		"newer":            {"# faultline_gaps 2\n", "line 1: faultline_gaps version 2 is newer"},
		"version zero":     {"# faultline_gaps 0\n", "line 1: want"},
		"few columns":      {head + "\na.go:1\tx\n", "line 3: 2 columns"},
		"no line number":   {head + "a.go\tx\ty\n", `line 2: position "a.go"`},
		"bad line number":  {head + "a.go:x\tx\ty\n", `line 2: position "a.go:x"`},
		"negative line":    {head + "a.go:-1\tx\ty\n", "line 2: a gap needs"},
		"no reason":        {head + "a.go:1\tx\t\n", "line 2: a gap needs"},
		"unknown column":   {head + "a.go:1\tx\ty\tnote: z\n", `line 2: column "note: z"`},
		"repeated column":  {head + "a.go:1\tx\ty\tcure: z\tcure: z\n", `line 2: column "cure: z"`},
		"columns swapped":  {head + "a.go:1\tx\ty\taccepted: z\tcure: z\n", `line 2: column "cure: z"`},
		"empty acceptance": {head + "a.go:1\tx\ty\taccepted: \n", `line 2: column "accepted: "`},
		"huge line":        {head + "a.go:1\t" + strings.Repeat("x", maxLine) + "\ty\n", "line 2: bufio.Scanner: token too long"},
	} {
		_, err := Read(strings.NewReader(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), "gaps: "+c.want) {
			t.Errorf("%s: error %v, want prefix %q", name, err, "gaps: "+c.want)
		}
	}
}

func TestWriteRefusesWhatReadWould(t *testing.T) {
	var out bytes.Buffer
	err := Write(&out, []Gap{{File: "a.go", Line: 3, Construct: "x"}})
	if err == nil || !strings.Contains(err.Error(), "a.go:3") || out.Len() > 0 {
		t.Errorf("Write = %v after %d bytes, want an error naming a.go:3 and no bytes", err, out.Len())
	}
}

func TestOpenLeavesOutAcceptedGaps(t *testing.T) {
	open := Open(sample)
	if len(open) != 3 || slices.ContainsFunc(open, func(g Gap) bool { return g.Accepted != "" }) {
		t.Errorf("Open = %+v", open)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(sampleText))
	f.Add([]byte("# faultline_gaps 1\na:b.go:7\t\\\\t\ty\n"))
	f.Add([]byte("# faultline_gaps 9\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := Write(&first, list); err != nil {
			t.Fatalf("Write refuses what Read accepted: %v", err)
		}
		again, err := Read(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("Read refuses what Write wrote: %v\n%s", err, first.Bytes())
		}
		if err := Write(&second, again); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("second Write (%v) wrote\n%s\nfirst\n%s", err, second.Bytes(), first.Bytes())
		}
	})
}
