// SPDX-License-Identifier: MPL-2.0

package kv

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// temporary is where a snapshot is written before it gets its name.
const temporary = "snap.tmp"

func logName(number int) string      { return fmt.Sprintf("log-%08d", number) }
func snapshotName(number int) string { return fmt.Sprintf("snap-%08d", number) }

// parseName returns the number in a name that logName or snapshotName made, and which of the two did.
func parseName(name string) (number int, isLog, ok bool) {
	kind, digits, _ := strings.Cut(name, "-")
	number, err := strconv.Atoi(digits)
	return number, kind == "log", err == nil && (kind == "log" || kind == "snap")
}

// files are the numbers of the logs and of the snapshots on disk, each in order.
type files struct{ logs, snapshots []int }

func (s *Store) list() (files, error) {
	entries, err := s.fs.ReadDir(".")
	if err != nil {
		return files{}, err
	}
	var f files
	for _, e := range entries {
		switch number, isLog, ok := parseName(e.Name()); {
		case ok && isLog:
			f.logs = append(f.logs, number)
		case ok:
			f.snapshots = append(f.snapshots, number)
		}
	}
	slices.Sort(f.logs)
	slices.Sort(f.snapshots)
	return f, nil
}

// restore reads the newest snapshot and the logs from there on, and returns the highest number in use.
func (s *Store) restore() (last int, err error) {
	f, err := s.list()
	if err != nil {
		return 0, err
	}
	first := 0
	if n := len(f.snapshots); n > 0 {
		first = f.snapshots[n-1]
		if err := s.load(snapshotName(first)); err != nil {
			return 0, err
		}
	}
	last = first
	for _, number := range f.logs {
		if number < first {
			continue
		}
		if err := s.load(logName(number)); err != nil {
			return 0, err
		}
		last = number
	}
	return last, nil
}

// load applies the records of a file to the map.
func (s *Store) load(name string) error {
	b, err := s.fs.ReadFile(name)
	if err != nil {
		return err
	}
	for {
		key, value, rest, ok := nextRecord(b)
		if !ok {
			return nil
		}
		s.data[key] = value
		b = rest
	}
}

// snapshotLoop writes the snapshots that rotate asks for.
func (s *Store) snapshotLoop() {
	for {
		select {
		case snap := <-s.snapshots:
			if err := s.compact(snap); err != nil {
				s.stop(fmt.Errorf("kv: write snapshot: %w", err))
				return
			}
		case <-s.ctx.Done():
			return
		}
	}
}

// compact replaces the logs before snap.number by one file. The snapshot gets its name only when its content is on
// disk, and the old files go only when its name is.
func (s *Store) compact(snap snapshot) error {
	var b []byte
	for _, key := range slices.Sorted(maps.Keys(snap.data)) {
		b = appendRecord(b, key, snap.data[key])
	}
	if err := s.writeSynced(temporary, b); err != nil {
		return err
	}
	if err := s.fs.Rename(temporary, snapshotName(snap.number)); err != nil {
		return err
	}
	if err := s.syncDir(); err != nil {
		return err
	}
	return s.removeBefore(snap.number)
}

// writeSynced writes a file whose content is on disk when it returns.
func (s *Store) writeSynced(name string, b []byte) error {
	f, err := s.fs.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// removeBefore removes the logs and snapshots that the snapshot with this number replaces. This needs no sync of
// the directory: should one come back after a crash, nobody reads it and the next call removes it.
func (s *Store) removeBefore(number int) error {
	f, err := s.list()
	if err != nil {
		return err
	}
	for _, n := range f.logs {
		if n < number {
			err = errors.Join(err, s.fs.Remove(logName(n)))
		}
	}
	for _, n := range f.snapshots {
		if n < number {
			err = errors.Join(err, s.fs.Remove(snapshotName(n)))
		}
	}
	return err
}
