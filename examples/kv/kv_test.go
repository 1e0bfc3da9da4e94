// SPDX-License-Identifier: MPL-2.0

package kv_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/examples/kv"
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/history"
)

const (
	duration = 20 * time.Second
	writing  = duration * 3 / 4 // then come no more faults, and the clients read everything back
)

var options = faultline.Options{Mode: faultline.ModeGoroutine, Seeds: 20, Duration: duration}

// TestKV runs the service as it should be: no acknowledged write is ever lost.
func TestKV(t *testing.T) {
	faultline.Run(t, options, world(kv.Options{LogRecords: 50}))
}

// TestKVSkipSyncDir runs the service with its bug, so it fails. Since it would fail every run of all tests, it is
// skipped unless -run names it, as the line that replays a seed does.
func TestKVSkipSyncDir(t *testing.T) {
	if !strings.Contains(flag.Lookup("test.run").Value.String(), t.Name()) {
		t.Skipf("fails on purpose; to see it, run: go test -run '^%s$' ./examples/kv", t.Name())
	}
	faultline.Run(t, options, world(kv.Options{LogRecords: 50, SkipSyncDir: true}))
}

// world is one server that crashes now and then, and three clients that write and read through all of it.
func world(opts kv.Options) func(*faultline.World) {
	return func(w *faultline.World) {
		w.AddProcess("kv", func(ctx context.Context, p *faultline.Process) error {
			ln, err := p.Net.Listen("tcp", ":8080")
			if err != nil {
				return err
			}
			return kv.Run(ctx, p.FS, ln, opts)
		})
		book := newLedger(w.History)
		for _, name := range []string{"c1", "c2", "c3"} {
			w.AddClientProcess(name, func(ctx context.Context, p *faultline.Process) error {
				return newWriter(p, book).run(ctx)
			})
		}
		w.Plan(fault.Random{MaxDown: 1, Rules: []fault.Rule{{
			Kind: fault.KindCrash, Every: 2 * time.Second,
			MinFor: 20 * time.Millisecond, MaxFor: time.Second,
		}}})
		w.Invariant("acknowledged writes survive", func() error { return book.lost })
		w.Final("every client read its keys back", book.complete)
	}
}

// ledger is what the clients know. It belongs to the simulator: clients reach it through Process.Do.
type ledger struct {
	history      *history.History
	acknowledged map[string]int
	readBack     map[string]bool // by client
	lost         error
}

func newLedger(h *history.History) *ledger {
	return &ledger{history: h, acknowledged: map[string]int{}, readBack: map[string]bool{}}
}

// read compares what a client got for key with what it was promised. Each key has one writer, which counts up, so that
// a lower number is an older write.
func (l *ledger) read(key, got string, found bool) {
	want, promised := l.acknowledged[key]
	if n, err := strconv.Atoi(got); l.lost != nil || !promised || err == nil && n >= want {
		return
	}
	if found {
		l.lost = fmt.Errorf("%s=%d was acknowledged, but the service holds %q", key, want, got)
	} else {
		l.lost = fmt.Errorf("%s=%d was acknowledged, but the service has no %s", key, want, key)
	}
}

func (l *ledger) complete() error {
	if n := len(l.readBack); n != 3 {
		return fmt.Errorf("%d of 3 clients read everything back", n)
	}
	return nil
}

// writer is a client that counts up on a few keys of its own.
type writer struct {
	p      *faultline.Process
	client *kv.Client
	book   *ledger
}

const keys = 5

func newWriter(p *faultline.Process, book *ledger) *writer {
	return &writer{p, &kv.Client{URL: "http://kv:8080", HTTP: netsim.HTTPClient(p.Net)}, book}
}

func (w *writer) key(n int) string { return fmt.Sprintf("%s/%d", w.p.Name(), n%keys) }

// run writes until the faults are over, then reads all keys.
func (w *writer) run(ctx context.Context) error {
	start := time.Now()
	for n := 1; time.Since(start) < writing; n++ {
		if err := errors.Join(w.write(ctx, n), w.check(ctx, w.key(w.p.Rand().IntN(keys)))); err != nil {
			return err
		}
		time.Sleep(time.Duration(w.p.Rand().IntN(100)) * time.Millisecond)
	}
	for n := range keys {
		if err := w.check(ctx, w.key(n)); err != nil {
			return err
		}
	}
	return w.p.Do(func() { w.book.readBack[w.p.Name()] = true })
}

// write sets the n-th write's key to n and notes the acknowledgement.
func (w *writer) write(ctx context.Context, n int) error {
	key := w.key(n)
	id, err := w.invoke("put", key+"="+strconv.Itoa(n))
	if err != nil {
		return err
	}
	if err := w.client.Put(ctx, key, strconv.Itoa(n)); err != nil {
		return err
	}
	return w.p.Do(func() {
		w.book.history.Complete(id, history.OK, nil)
		w.book.acknowledged[key] = n
	})
}

// check reads a key and notes what it holds.
func (w *writer) check(ctx context.Context, key string) error {
	id, err := w.invoke("get", key)
	if err != nil {
		return err
	}
	got, found, err := w.client.Get(ctx, key)
	if err != nil {
		return err
	}
	return w.p.Do(func() {
		w.book.history.Complete(id, history.OK, got)
		w.book.read(key, got, found)
	})
}

// invoke notes that an operation begins.
func (w *writer) invoke(f, input string) (id int, err error) {
	err = w.p.Do(func() { id = w.book.history.Invoke(w.p.Name(), f, input) })
	return id, err
}
