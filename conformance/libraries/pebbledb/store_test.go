// SPDX-License-Identifier: MPL-2.0

package pebbledb_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/conformance/libraries/pebbledb"
)

// store is a process that keeps numbers in pebble.
type store struct {
	p    *faultline.Process
	db   *pebble.DB
	book *ledger
}

// options let pebble do in a short run what it does to much data: it flushes, compacts and takes old logs for new ones.
func (s *store) options(wrap func(vfs.FS) vfs.FS) *pebble.Options {
	return &pebble.Options{
		FS:                    wrap(pebbledb.FS(s.p.FS)),
		Logger:                logger{s.p},
		FormatMajorVersion:    pebble.FormatNewest,
		MemTableSize:          32 << 10,
		L0CompactionThreshold: 2,
		LBaseMaxBytes:         64 << 10,
		EventListener:         &pebble.EventListener{BackgroundError: func(err error) { logger{s.p}.Fatalf("%v", err) }},
	}
}

// logger writes to the trace. There is no reason for a fatal error in these runs: the disk does what it is told.
type logger struct{ p *faultline.Process }

func (l logger) Infof(format string, args ...any)  { l.p.Logf(format, args...) }
func (l logger) Errorf(format string, args ...any) { l.p.Logf(format, args...) }
func (l logger) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// run serves until the work is done or the node crashes: then pebble's calls do not return.
func (s *store) run(ctx context.Context, wrap func(vfs.FS) vfs.FS) error {
	served := make(chan error, 1)
	go func() { served <- s.serve(wrap) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return nil
	}
}

// serve opens the store, compares it with what was promised, and writes on until the faults are over.
func (s *store) serve(wrap func(vfs.FS) vfs.FS) (err error) {
	if s.db, err = pebble.Open("db", s.options(wrap)); err != nil {
		return s.p.Do(func() { s.book.wrong = fmt.Errorf("the store does not open: %w", err) })
	}
	if err := s.check(); err != nil {
		return err
	}
	var wrote sync.WaitGroup
	for w := range writers {
		random := rand.New(rand.NewPCG(s.p.Rand().Uint64(), s.p.Rand().Uint64()))
		wrote.Go(func() { s.write(w, random) })
	}
	wrote.Wait()
	return errors.Join(s.check(), s.db.Close(), s.p.Do(func() { s.book.complete = true }))
}

// write commits batches until the faults are over. Each sets all keys of the writer to one number, larger than all before.
func (s *store) write(w int, random *rand.Rand) {
	for {
		n, stop := 0, false
		if s.p.Do(func() { n, stop = s.book.attempt(w), s.book.over() }) != nil || stop {
			return
		}
		b := s.db.NewBatch()
		value := append(binary.AppendUvarint(nil, uint64(n)), make([]byte, random.IntN(600))...)
		for k := range keys {
			_ = b.Set(key(w, k), value, nil)
		}
		if err := b.Commit(pebble.Sync); err != nil {
			panic(fmt.Sprintf("commit: %v", err))
		}
		_ = s.p.Do(func() { s.book.acknowledge(w, n) })
		time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
	}
}

func key(w, k int) []byte { return fmt.Appendf(nil, "w%d/%d", w, k) }

// check reads all keys and notes what they hold.
func (s *store) check() error {
	var found [writers][keys]int
	for w := range writers {
		for k := range keys {
			n, err := s.read(key(w, k))
			if err != nil {
				return err
			}
			found[w][k] = n
		}
	}
	return s.p.Do(func() { s.book.found(found) })
}

// read returns the number of a key, or 0 if there is none.
func (s *store) read(key []byte) (int, error) {
	value, closer, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("get %s: %w", key, err)
	}
	n, _ := binary.Uvarint(value)
	return int(n), closer.Close()
}
