// SPDX-License-Identifier: MPL-2.0

package hashiraft

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/raft"

	"github.com/hmdsefi/faultline/shims/fsx"
)

const (
	snapshotDir    = "snapshots"
	snapshotTemp   = "snapshots.new"
	snapshotSuffix = ".json"
	retained       = 2
)

// snapshots keeps each snapshot in a file of its own, which appears under its name when all of it is durable.
type snapshots struct{ fs fsx.FS }

// snapshot is such a file.
type snapshot struct {
	Meta    raft.SnapshotMeta
	Content []byte
}

func openSnapshots(fsys fsx.FS) (*snapshots, error) {
	for _, dir := range []string{snapshotDir, snapshotTemp} {
		if err := fsys.MkdirAll(dir, 0o777); err != nil {
			return nil, stopIfDead(err)
		}
	}
	return &snapshots{fsys}, stopIfDead(fsys.SyncDir("/"))
}

// Create implements raft.SnapshotStore.
func (s *snapshots) Create(version raft.SnapshotVersion, index, term uint64, c raft.Configuration, configIndex uint64, _ raft.Transport) (raft.SnapshotSink, error) {
	return &sink{store: s, snapshot: snapshot{Meta: raft.SnapshotMeta{
		Version: version, ID: fmt.Sprintf("%016x-%016x", index, term), Index: index, Term: term,
		Configuration: c, ConfigurationIndex: configIndex,
	}}}, nil
}

// List implements raft.SnapshotStore.
func (s *snapshots) List() ([]*raft.SnapshotMeta, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	var metas []*raft.SnapshotMeta
	for _, name := range names {
		stored, err := s.read(name)
		if err != nil {
			return nil, err
		}
		metas = append(metas, &stored.Meta)
	}
	return metas, nil
}

// Open implements raft.SnapshotStore.
func (s *snapshots) Open(id string) (*raft.SnapshotMeta, io.ReadCloser, error) {
	stored, err := s.read(id + snapshotSuffix)
	if err != nil {
		return nil, nil, err
	}
	return &stored.Meta, io.NopCloser(bytes.NewReader(stored.Content)), nil
}

// names are those of the files, the newest first.
func (s *snapshots) names() ([]string, error) {
	entries, err := s.fs.ReadDir(snapshotDir)
	if err != nil {
		return nil, stopIfDead(err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), snapshotSuffix) {
			names = append(names, e.Name())
		}
	}
	slices.Reverse(names)
	return names, nil
}

func (s *snapshots) read(name string) (stored snapshot, err error) {
	text, err := s.fs.ReadFile(path.Join(snapshotDir, name))
	if err != nil {
		return stored, stopIfDead(err)
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		return stored, fmt.Errorf("snapshot %s: %w", name, err)
	}
	return stored, nil
}

// write makes a snapshot durable and removes all but the newest ones.
func (s *snapshots) write(new snapshot) error {
	text, err := json.Marshal(new)
	if err != nil {
		return err
	}
	name := new.Meta.ID + snapshotSuffix
	temp := path.Join(snapshotTemp, name)
	f, err := s.fs.Create(temp)
	if err != nil {
		return stopIfDead(err)
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close(), s.fs.Rename(temp, path.Join(snapshotDir, name)), s.fs.SyncDir(snapshotDir))
	if err != nil {
		return stopIfDead(err)
	}
	names, err := s.names()
	if err != nil {
		return err
	}
	for _, old := range names[min(retained, len(names)):] {
		if err := s.fs.Remove(path.Join(snapshotDir, old)); err != nil {
			return stopIfDead(err)
		}
	}
	return nil
}

// sink collects a snapshot.
type sink struct {
	store *snapshots
	snapshot
	cancelled bool
}

// ID implements raft.SnapshotSink.
func (s *sink) ID() string { return s.Meta.ID }

// Write implements raft.SnapshotSink.
func (s *sink) Write(p []byte) (int, error) {
	s.Content = append(s.Content, p...)
	return len(p), nil
}

// Cancel implements raft.SnapshotSink.
func (s *sink) Cancel() error {
	s.cancelled = true
	return nil
}

// Close implements raft.SnapshotSink.
func (s *sink) Close() error {
	if s.cancelled {
		return nil
	}
	s.Meta.Size = int64(len(s.Content))
	return s.store.write(s.snapshot)
}
