// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"context"
	"runtime/pprof"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

func TestParse(t *testing.T) {
	const dump = `goroutine 6 [running, synctest bubble 12]:
example.com/m/goker.TestKernel(0xc1)
	/tmp/x/kernel_test.go:9 +0x1
created by testing/synctest.Test in goroutine 5
	/go/src/testing/synctest/synctest.go:282 +0x2

goroutine 7 [chan receive (nil chan) (durable), 2 minutes, synctest bubble 12]:
goker.(*node).wait(...)
	/tmp/x/a.go:9
goker.K.func2.1(0xc1, {0x5, 0x6})
	/tmp/x/a.go:20 +0x5
created by goker.K.func2 in goroutine 6
	/tmp/x/a.go:19 +0x1

goroutine 8 [sync.Mutex.Lock labels:{"other": "1", "run": "31"}]:
sync.(*Mutex).Lock(...)
	/go/src/sync/mutex.go:46
goker.(*node).lock(0xc1)
	/tmp/x/a.go:9

goroutine 9 [chan send] {other: 1, run: 32}:
goker.send(0xc1)
	/tmp/x/a.go:9
`
	got := parse(dump)
	want := []goroutine{
		{id: "6", reason: "running", bubble: "12", entry: "TestKernel", synctest: true},
		{id: "7", reason: "chan receive (nil chan)", bubble: "12", entry: "K.func2.1"},
		{id: "8", reason: "sync.Mutex.Lock", run: "31", entry: "(*node).lock"},
		{id: "9", reason: "chan send", run: "32", entry: "send"}, // as of Go 1.27
	}
	if !slices.Equal(got, want) {
		t.Errorf("parsed\n%+v, want\n%+v", got, want)
	}
	if got := names(got[1:3]); !slices.Equal(got, []string{"(*node).lock(...) [sync.Mutex.Lock]", "K.func2.1(...) [chan receive (nil chan)]"}) {
		t.Errorf("names: %q", got)
	}
}

func waits(c chan int) { <-c }

// Only the goroutines of the bubble count, and those of package synctest do not.
func TestOthersInBubble(t *testing.T) {
	outside := make(chan int)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(outside)
	wg.Go(func() { waits(outside) })
	synctest.Test(t, func(t *testing.T) {
		c := make(chan int)
		go waits(c)
		synctest.Wait()
		if got := names(othersInBubble()); !slices.Equal(got, []string{"waits(...) [chan receive]"}) {
			t.Errorf("goroutines of the bubble: %q", got)
		}
		close(c)
	})
}

func TestLabelsAreInherited(t *testing.T) {
	t.Setenv("GODEBUG", "tracebacklabels=1")
	c := make(chan int)
	defer close(c)
	pprof.Do(context.Background(), pprof.Labels(label, "17"), func(context.Context) { go waits(c) })
	for _, g := range settled() {
		if g.run == "17" && g.entry == "waits" {
			return
		}
	}
	t.Error("no goroutine has the label of the one that started it")
}
