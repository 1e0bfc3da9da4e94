// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

const dump = `goroutine 10 [running, synctest bubble 3]:
example.com/kv.look()
	/src/kv.go:5 +0xca

goroutine 1 [chan receive, 2 minutes]:
main.main()
	_testmain.go:46 +0x165

goroutine 8 [synctest.Run (durable), synctest bubble 3]:
internal/synctest.Run(0xc000062340)
	/go/src/runtime/synctest.go:218 +0x1e6

goroutine 9 [chan receive (durable), synctest bubble 3]:
testing/synctest.testingSynctestTest(0xc0000b6488, 0x659b48)
	/go/src/testing/testing.go:2151 +0x625
created by testing/synctest.Test in goroutine 8
	/go/src/testing/synctest/synctest.go:290 +0x125

goroutine 11 gp=0xc000 m=nil [sync.Mutex.Lock, 3 minutes, synctest bubble 3]:
internal/sync.runtime_SemacquireMutex(0xc0000101b0?, 0x0?, 0x0?)
	/go/src/runtime/sema.go:95 +0x25
sync.(*Mutex).Lock(...)
	/go/src/sync/mutex.go:46
example.com/kv.(*Store).Put(0xc000, {0x1, 0x2})
	/src/kv.go:33 +0x9f
created by example.com/kv.start in goroutine 10
	/src/kv.go:5 +0x9f
`

func TestParseGoroutines(t *testing.T) {
	list := parseGoroutines(dump)
	if len(list) != 5 {
		t.Fatalf("%d goroutines, want 5", len(list))
	}
	tests := []struct {
		id, state, bubble  string
		durable, machinery bool
	}{
		{"10", "running", "synctest bubble 3", false, false},
		{"1", "chan receive", "", false, false},
		{"8", "synctest.Run (durable)", "synctest bubble 3", true, true},
		{"9", "chan receive (durable)", "synctest bubble 3", true, true},
		{"11", "sync.Mutex.Lock", "synctest bubble 3", false, false},
	}
	for i, tt := range tests {
		g := list[i]
		if g.id != tt.id || g.state != tt.state || g.bubble != tt.bubble || g.durable() != tt.durable || g.machinery() != tt.machinery {
			t.Errorf("goroutine %d: got id %q, state %q, bubble %q, durable %v, machinery %v; want %+v",
				i, g.id, g.state, g.bubble, g.durable(), g.machinery(), tt)
		}
	}
	want := "sync.Mutex.Lock: example.com/kv.(*Store).Put at /src/kv.go:33"
	if got := summarize(list[4:]); got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
}

// The runtime prints goroutines in the order of the memory that they happened to get. Reports list the older ones first.
func TestOthersAreInTheOrderOfTheirCreation(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		end := make(chan struct{})
		defer close(end)
		for range 3 {
			brief := make(chan struct{})
			for range 50 {
				go func() { <-brief }()
				go func() { <-end }()
			}
			synctest.Wait()
			close(brief) // what follows takes the places of these
			synctest.Wait()
		}
		list := currentGroup().others()
		if len(list) != 150 {
			t.Errorf("%d goroutines, want 150", len(list))
		}
		for i := range list[1:] {
			if list[i].number() >= list[i+1].number() {
				t.Errorf("goroutine %s is before %s", list[i].id, list[i+1].id)
			}
		}
	})
}

func TestStallReportPutsCulpritsFirst(t *testing.T) {
	text := stallReport(0, dump)
	busy, waiting, _ := strings.Cut(text, "Goroutines that wait")
	if !strings.Contains(busy, "kv.(*Store).Put") || strings.Contains(waiting, "kv.(*Store).Put") {
		t.Errorf("the goroutine that waits for a mutex is not among those that hold up time:\n%s", text)
	}
	if strings.Contains(text, "main.main") || strings.Contains(text, "testingSynctestTest") {
		t.Errorf("goroutines from outside, or that hold up the bubble, are in the report:\n%s", text)
	}
	if !strings.Contains(text, "Process.Net and Process.FS") {
		t.Error("the usual causes are missing")
	}
}

// A hundred goroutines in one place are one line and one stack.
func TestStallReportGroupsGoroutines(t *testing.T) {
	const stack = `goroutine %d [%s, synctest bubble 3 labels:{"faultline.process": "n1#1"}]:
internal/poll.(*FD).Read(0xc000)
	/go/src/internal/poll/fd_unix.go:165 +0x1
os.(*File).Read(0xc000)
	/go/src/os/file.go:144 +0x1
example.com/kv.%s(0xc000)
	/src/kv.go:%d +0x1
created by example.com/kv.start in goroutine 10
	/src/kv.go:5 +0x1

`
	var b strings.Builder
	fmt.Fprintf(&b, stack, 1, "IO wait", "rare", 1)
	for i := range 100 {
		fmt.Fprintf(&b, stack, 2+i, "IO wait", "often", 2)
	}
	text := stallReport(0, b.String())
	for _, want := range []string{
		"keep virtual time from moving (101):\n\n   100  n1#1: IO wait: example.com/kv.often at /src/kv.go:2\n     1  n1#1: IO wait: example.com/kv.rare at /src/kv.go:1\n",
		"\ngoroutine 2 [", "\ngoroutine 1 [",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "\ngoroutine "); n != 2 {
		t.Errorf("%d stacks, want 2:\n%s", n, text)
	}
}

func TestProcessOfGoroutine(t *testing.T) {
	for name, header := range map[string]string{
		"go1.26":               `goroutine 7 [select (durable), synctest bubble 3 labels:{"faultline.process": "n1#2", "other": "x"}]:`,
		"go1.26, not first":    `goroutine 7 [select (durable), synctest bubble 3 labels:{"a": "b", "faultline.process": "n1#2"}]:`,
		"go1.27":               `goroutine 7 [select (durable), synctest bubble 3] {faultline.process: "n1#2", other: x}:`,
		"go1.27, quoted label": `goroutine 7 [select (durable), synctest bubble 3] {"a-b": c, faultline.process: "n1#2"}:`,
	} {
		g := parseGoroutines(header)[0]
		if g.process != "n1#2" || g.state != "select (durable)" || g.bubble != "synctest bubble 3" {
			t.Errorf("%s: process %q, state %q, bubble %q", name, g.process, g.state, g.bubble)
		}
	}
	if g := parseGoroutines(`goroutine 7 [running] {faultline.process: plain}:`)[0]; g.process != "plain" || g.state != "running" {
		t.Errorf("a value without quotes: process %q, state %q", g.process, g.state)
	}
	if g := parseGoroutines(`goroutine 7 [running]:`)[0]; g.process != "" || g.state != "running" {
		t.Errorf("no labels: process %q, state %q", g.process, g.state)
	}
}

// A goroutine is where the user's code is: neither in the simulator that it waits for nor in the point that the wrapper has put there.
func TestPlaces(t *testing.T) {
	const (
		call = "github.com/hmdsefi/faultline/shims/driver.(*Proc).Call(0x1)\n\t/m/shims/driver/call.go:42 +0x1\n"
		do   = "github.com/hmdsefi/faultline.(*Process).Do(0x1)\n\t/m/process.go:70 +0x1\n"
		user = "example.com/kv.(*Client).run(0x1)\n\t/src/kv.go:17 +0x1\n"
	)
	for text, want := range map[string]string{
		"goroutine 7 [chan receive (durable)]:\nruntime.gopark(0x1)\n\t/go/proc.go:1 +0x1\n" + call + do + user: "example.com/kv.(*Client).run at /src/kv.go:17",
		"goroutine 7 [chan receive (durable)]:\n" + call + do:                                                   "github.com/hmdsefi/faultline.(*Process).Do at /m/process.go:70",
		"goroutine 7 [runnable]:\n" + call + user:                                                               "github.com/hmdsefi/faultline/shims/driver.(*Proc).Call at /m/shims/driver/call.go:42",
		"goroutine 7 [runnable]:\nexample.com/kv.faultline_Point()\n\tfaultline/_faultline.go:19 +0x1\n" + user: "example.com/kv.(*Client).run at /src/kv.go:17",
		"goroutine 7 [select]:\nruntime.gopark(0x1)\n\t/go/proc.go:1 +0x1\n":                                    "an unknown place",
	} {
		if got := parseGoroutines(text)[0].place(); got != want {
			t.Errorf("%q, want %q, in\n%s", got, want, text)
		}
	}
}
