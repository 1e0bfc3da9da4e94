// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hmdsefi/faultline/sim/simdisk"
)

const (
	logDir    = "/raft"
	logPrefix = "log-"
	tmpName   = logDir + "/new"
)

// segment is the write-ahead log on a volume: one file that starts with a
// snapshot. A new snapshot starts a new file, which takes the place of the old one
// once it is complete.
type segment struct {
	volume *simdisk.Volume
	number int
	file   *simdisk.File
	size   int64

	next *simdisk.File // the file that is being made, nil if there is none
	goal int64         // its size
}

func segmentPath(number int) string { return fmt.Sprintf("%s/%s%08d", logDir, logPrefix, number) }

// newest returns the number of the newest segment in the log directory, or 0.
func newest(v *simdisk.Volume) int {
	entries, err := v.ReadDir(logDir)
	if err != nil {
		return 0
	}
	last := 0
	for _, e := range entries {
		if digits, ok := strings.CutPrefix(e.Name(), logPrefix); ok {
			n, _ := strconv.Atoi(digits)
			last = max(last, n)
		}
	}
	return last
}

// openSegment reads the newest segment and makes it fit for appending: a torn end
// is cut off, since what would be written over it in part could come to look whole.
// It returns nil and no error if there is no segment.
func openSegment(v *simdisk.Volume) (*segment, *journal, error) {
	s := &segment{volume: v, number: newest(v)}
	if s.number == 0 {
		return nil, nil, nil
	}
	data, err := v.ReadFile(segmentPath(s.number))
	if err != nil {
		return nil, nil, err
	}
	j := &journal{}
	j.read(data)
	if j.snapshot == nil || j.base == nil || j.hard == nil {
		return nil, nil, fmt.Errorf("%s does not start with a snapshot", segmentPath(s.number))
	}
	s.file, err = v.Open(segmentPath(s.number))
	if err != nil {
		return nil, nil, err
	}
	s.size = int64(j.length)
	if j.length == len(data) {
		return s, j, nil
	}
	if err := s.file.Truncate(s.size); err != nil {
		return nil, nil, err
	}
	return s, j, s.file.Sync()
}

// append writes records behind the others, unsynced.
func (s *segment) append(records []byte) error {
	n, err := s.file.WriteAt(records, s.size)
	s.size += int64(n)
	return err
}

func (s *segment) sync() error { return s.file.Sync() }

// begin writes the content of the next segment to a file aside.
func (s *segment) begin(image []byte) error {
	if err := s.volume.MkdirAll(logDir, 0o755); err != nil {
		return err
	}
	f, err := s.volume.Create(tmpName)
	if err != nil {
		return err
	}
	s.next, s.goal = f, int64(len(image))
	_, err = f.WriteAt(image, 0)
	return err
}

// place syncs the next segment and gives it its name.
func (s *segment) place() error {
	if err := s.next.Sync(); err != nil {
		return err
	}
	return s.volume.Rename(tmpName, segmentPath(s.number+1))
}

// finish makes the name durable and drops the segment before.
func (s *segment) finish() error {
	for _, dir := range []string{logDir, "/"} {
		if err := s.volume.SyncDir(dir); err != nil {
			return err
		}
	}
	if s.number > 0 {
		s.file.Close()
		s.volume.Remove(segmentPath(s.number)) // if a crash brings it back, it is older and ignored
	}
	s.number++
	s.file, s.size = s.next, s.goal
	s.next = nil
	return nil
}
