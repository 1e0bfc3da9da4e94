// SPDX-License-Identifier: MPL-2.0

package web

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"sync"

	"github.com/hmdsefi/faultline/shims/fsx"
)

var errOlder = errors.New("a newer version is stored")

// quiet is where net/http tells of every connection that a fault has broken.
var quiet = log.New(io.Discard, "", 0)

// headerSize is what stands before a blob's bytes in its file: its version.
const headerSize = 8

// store keeps each blob in a file of its own, which is replaced as a whole.
type store struct {
	fs fsx.FS

	mu    sync.Mutex
	turns map[string]chan struct{} // by key: who holds the token writes
	temps int
}

func open(fsys fsx.FS) (*store, error) {
	s := &store{fs: fsys, turns: map[string]chan struct{}{}}
	for _, dir := range []string{"blobs", "temp"} {
		if err := fsys.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
	}
	return s, fsys.SyncDir("/")
}

// turn is a lock that is a channel, so that a bubble without the wrapper can wait for it while it is held across file
// operations.
func (s *store) turn(key string) (turn chan struct{}, temp string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turns[key] == nil {
		s.turns[key] = make(chan struct{}, 1)
	}
	s.temps++
	return s.turns[key], fmt.Sprintf("temp/%d", s.temps)
}

func (s *store) write(ctx context.Context, key string, version uint64, body []byte) error {
	turn, temp := s.turn(key)
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-turn }()
	switch stored, _, err := s.read(key); {
	case err == nil && stored >= version:
		return fmt.Errorf("%w: %d", errOlder, stored)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := s.writeDurably(temp, append(binary.BigEndian.AppendUint64(nil, version), body...)); err != nil {
		return err
	}
	if err := s.fs.Rename(temp, "blobs/"+key); err != nil {
		return err
	}
	return s.fs.SyncDir("blobs")
}

func (s *store) writeDurably(name string, content []byte) error {
	f, err := s.fs.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

func (s *store) read(key string) (version uint64, body []byte, err error) {
	content, err := s.fs.ReadFile("blobs/" + key)
	if err != nil {
		return 0, nil, err
	}
	if len(content) < headerSize {
		return 0, nil, fmt.Errorf("blob %s has %d bytes, not even a header", key, len(content))
	}
	return binary.BigEndian.Uint64(content), content[headerSize:], nil
}
