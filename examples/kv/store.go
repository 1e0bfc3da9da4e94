// SPDX-License-Identifier: MPL-2.0

// Package kv is a small HTTP key-value service, written as one would write it for production: nothing in it knows
// that it can be simulated. It takes its file system and its listener as values, and that is all that faultline asks.
//
// The store keeps its data in a map and on disk in two kinds of files: log-N, which holds the writes in order, and
// snap-N, which holds everything that the logs before log-N said. Opening a store reads the newest snapshot and the
// logs from there on, and starts a new log. A background goroutine writes snapshots and removes what they replace.
package kv

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"sync"

	"github.com/hmdsefi/faultline/shims/fsx"
)

// ErrClosed is what a closed store answers.
var ErrClosed = errors.New("kv: store is closed")

// Options are the settings of a store. The zero value is ready to use.
type Options struct {
	// LogRecords is the number of writes after which the store starts a new log and a snapshot; 0 means 1000.
	LogRecords int

	// SkipSyncDir leaves out the sync of the directory after a file was created, renamed or removed. That is a
	// mistake, and an easy one to make: the file's content is safe, but a power failure may take its name. It is
	// here to be found.
	SkipSyncDir bool
}

// maxBatch bounds the number of writes that share one sync.
const maxBatch = 64

// Store is a durable map from strings to strings. Its methods may be called from any goroutine.
type Store struct {
	fs   fsx.FS
	opts Options

	mu   sync.RWMutex // guards data
	data map[string]string

	writes    chan *write
	snapshots chan snapshot

	ctx  context.Context // done when the store is closed or has failed; the cause says why
	stop context.CancelCauseFunc
	wg   sync.WaitGroup

	// Owned by the goroutine of writeLoop.
	log     fsx.File
	number  int // of the current log
	records int // in the current log
	buf     []byte
}

// write is a Put on its way to the log.
type write struct {
	key, value string
	durable    chan struct{} // closed when the write is on disk and in the map
}

// snapshot is the content of all logs before log number.
type snapshot struct {
	number int
	data   map[string]string
}

// Open opens the store in fsys, which may be empty, and recovers what earlier stores wrote there.
func Open(fsys fsx.FS, opts Options) (*Store, error) {
	if opts.LogRecords <= 0 {
		opts.LogRecords = 1000
	}
	s := &Store{
		fs:        fsys,
		opts:      opts,
		data:      map[string]string{},
		writes:    make(chan *write),
		snapshots: make(chan snapshot, 1),
	}
	last, err := s.restore()
	if err != nil {
		return nil, fmt.Errorf("kv: open store: %w", err)
	}
	if err := s.startLog(last + 1); err != nil {
		return nil, fmt.Errorf("kv: open store: %w", err)
	}
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	s.wg.Go(s.writeLoop)
	s.wg.Go(s.snapshotLoop)
	return s, nil
}

// Get returns the value of key, and whether there is one.
func (s *Store) Get(key string) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	value, ok := s.data[key]
	return value, ok
}

// Put sets the value of key. When it returns nil the write is on disk; when it returns an error the write may or may
// not survive.
func (s *Store) Put(key, value string) error {
	w := &write{key: key, value: value, durable: make(chan struct{})}
	select {
	case s.writes <- w:
	case <-s.ctx.Done():
		return s.Err()
	}
	select {
	case <-w.durable:
		return nil
	case <-s.ctx.Done():
		return s.Err()
	}
}

// Close stops the store and releases its files. Writes that are not on disk yet fail with ErrClosed.
func (s *Store) Close() error {
	s.stop(ErrClosed)
	s.wg.Wait()
	err := s.log.Close()
	if failure := s.Err(); failure != ErrClosed {
		return failure
	}
	return err
}

// Done is closed when the store takes no more writes.
func (s *Store) Done() <-chan struct{} { return s.ctx.Done() }

// Err says why the store takes no more writes: ErrClosed, or the failure of the disk. It is nil while it does.
func (s *Store) Err() error { return context.Cause(s.ctx) }

// writeLoop takes writes in batches to the log. After a failure nothing is known about what the log holds, so the
// first one stops the store: whoever runs it opens it anew.
func (s *Store) writeLoop() {
	for {
		select {
		case w := <-s.writes:
			if err := s.commit(s.batch(w)); err != nil {
				s.stop(fmt.Errorf("kv: write log: %w", err))
				return
			}
		case <-s.ctx.Done():
			return
		}
	}
}

// batch returns first and the writes that wait beside it.
func (s *Store) batch(first *write) []*write {
	batch := []*write{first}
	for len(batch) < maxBatch {
		select {
		case w := <-s.writes:
			batch = append(batch, w)
		default:
			return batch
		}
	}
	return batch
}

// commit makes a batch durable with one sync, then visible, then acknowledged.
func (s *Store) commit(batch []*write) error {
	s.buf = s.buf[:0]
	for _, w := range batch {
		s.buf = appendRecord(s.buf, w.key, w.value)
	}
	if _, err := s.log.Write(s.buf); err != nil {
		return err
	}
	if err := s.log.Sync(); err != nil {
		return err
	}
	s.apply(batch)
	s.records += len(batch)
	if s.records < s.opts.LogRecords {
		return nil
	}
	return s.rotate()
}

// apply puts a durable batch into the map and tells those who wait for it.
func (s *Store) apply(batch []*write) {
	s.mu.Lock()
	for _, w := range batch {
		s.data[w.key] = w.value
	}
	s.mu.Unlock()
	for _, w := range batch {
		close(w.durable)
	}
}

// rotate starts a new log and asks for a snapshot of all before it, unless one is waiting already.
func (s *Store) rotate() error {
	if err := s.log.Close(); err != nil {
		return err
	}
	if err := s.startLog(s.number + 1); err != nil {
		return err
	}
	if len(s.snapshots) == 0 {
		s.snapshots <- snapshot{s.number, maps.Clone(s.data)} // only this goroutine sends and changes the map
	}
	return nil
}

// startLog creates log number and makes its name durable before the first write goes there.
func (s *Store) startLog(number int) error {
	log, err := s.fs.OpenFile(logName(number), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if err := s.syncDir(); err != nil {
		return errors.Join(err, log.Close())
	}
	s.log, s.number, s.records = log, number, 0
	return nil
}

// syncDir makes the names of files durable.
func (s *Store) syncDir() error {
	if s.opts.SkipSyncDir {
		return nil
	}
	return s.fs.SyncDir(".")
}
