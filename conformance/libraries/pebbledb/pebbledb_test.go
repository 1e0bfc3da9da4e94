// SPDX-License-Identifier: MPL-2.0

package pebbledb_test

import (
	"context"
	"errors"
	"fmt"
	"path"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/conformance/libraries/onpurpose"
	"github.com/hmdsefi/faultline/sched"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/kernel"
)

const (
	writers  = 3
	keys     = 4 // of each writer
	duration = 20 * time.Second
	writing  = duration * 3 / 4 // then come no more faults
)

// TestPebble crashes a store again and again. What was acknowledged is there, and of each batch all or nothing.
func TestPebble(t *testing.T) { run(t, func(fs vfs.FS) vfs.FS { return fs }) }

// TestPebbleSkipSyncDir has a disk whose directories are never synced.
func TestPebbleSkipSyncDir(t *testing.T) {
	onpurpose.Skip(t)
	run(t, func(fs vfs.FS) vfs.FS { return skipSyncDir{fs} })
}

// TestPebbleSkipSync has a disk whose log files are never synced.
func TestPebbleSkipSync(t *testing.T) {
	onpurpose.Skip(t)
	run(t, func(fs vfs.FS) vfs.FS { return skipSync{fs} })
}

func TestMissingSyncsAreFound(t *testing.T) {
	needsWrapper(t)
	for _, test := range []string{"TestPebbleSkipSyncDir", "TestPebbleSkipSync"} {
		t.Run(test, func(t *testing.T) { onpurpose.Found(t, test, "invariant:acknowledged batches survive, whole") })
	}
}

// needsWrapper skips t in a plain build. Pebble holds its mutex during operations on files, and a plain bubble's time stands still while
// another goroutine waits for a mutex.
func needsWrapper(t *testing.T) {
	t.Helper()
	if !sched.Available() {
		t.Skip("pebble holds a mutex during operations on files, which only a build through the wrapper can simulate: " +
			"go tool faultline-toolexec test ./libraries/pebbledb")
	}
}

func run(t *testing.T, wrap func(vfs.FS) vfs.FS) {
	needsWrapper(t)
	faultline.Run(t, faultline.Options{Mode: faultline.ModeGoroutine, Seeds: 5, Duration: duration}, func(w *faultline.World) {
		book := &ledger{sim: w.Sim}
		w.AddProcess("db", func(ctx context.Context, p *faultline.Process) error {
			return (&store{p: p, book: book}).run(ctx, wrap)
		})
		w.Plan(fault.Random{MaxDown: 1, Rules: []fault.Rule{
			{Kind: fault.KindCrash, Every: time.Second, MinFor: 10 * time.Millisecond, MaxFor: 100 * time.Millisecond},
		}})
		w.Invariant("acknowledged batches survive, whole", func() error { return book.wrong })
		w.Final("the store came through", func() error {
			if !book.complete {
				return errors.New("it did not read everything back")
			}
			return nil
		})
	})
}

// ledger is what the writers know. It belongs to the simulator.
type ledger struct {
	sim          *kernel.Sim
	attempted    [writers]int
	acknowledged [writers]int
	complete     bool
	wrong        error
}

func (l *ledger) attempt(w int) int {
	l.attempted[w]++
	return l.attempted[w]
}

func (l *ledger) over() bool { return l.sim.Now() > kernel.Time(writing) }

func (l *ledger) acknowledge(w, n int) { l.acknowledged[w] = n }

// found compares what the store holds with what was promised. What it holds it has to keep from now on.
func (l *ledger) found(found [writers][keys]int) {
	for w, numbers := range found {
		for k, n := range numbers {
			switch {
			case l.wrong != nil:
			case n != numbers[0]:
				l.wrong = fmt.Errorf("a part of a batch: %s=%d, but %s=%d", key(w, 0), numbers[0], key(w, k), n)
			case n < l.acknowledged[w]:
				l.wrong = fmt.Errorf("%s=%d was acknowledged, but the store holds %d", key(w, k), l.acknowledged[w], n)
			case n > l.attempted[w]:
				l.wrong = fmt.Errorf("%s=%d, which nobody wrote: the last was %d", key(w, k), n, l.attempted[w])
			}
		}
		l.acknowledged[w] = numbers[0]
	}
}

// skipSyncDir forgets what OpenDir is for.
type skipSyncDir struct{ vfs.FS }

func (s skipSyncDir) OpenDir(name string) (vfs.File, error) {
	f, err := s.FS.OpenDir(name)
	return unsynced{f}, err
}

// skipSync forgets it for log files. Pebble makes them with Create, or out of old ones.
type skipSync struct{ vfs.FS }

func (s skipSync) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := s.FS.Create(name, category)
	if path.Ext(name) == ".log" {
		return unsynced{f}, err
	}
	return f, err
}

func (s skipSync) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := s.FS.ReuseForWrite(oldname, newname, category)
	return unsynced{f}, err
}

type unsynced struct{ vfs.File }

func (unsynced) Sync() error                { return nil }
func (unsynced) SyncData() error            { return nil }
func (unsynced) SyncTo(int64) (bool, error) { return false, nil }
