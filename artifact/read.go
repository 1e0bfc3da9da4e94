// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hmdsefi/faultline/gaps"
	"github.com/hmdsefi/faultline/sched/decisions"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/history"
)

// Files beyond these sizes are refused before they are read.
const (
	maxLines = 8 << 30   // trace.jsonl and history.jsonl, which are read line by line
	maxWhole = 256 << 20 // all others
)

// readers read the data files of a directory. The texts that are rendered from
// them are not read.
var readers = []struct {
	name string
	read func(io.Reader, *Run) error
}{
	{TraceFile, func(r io.Reader, run *Run) (err error) { run.Records, err = readTrace(r); return err }},
	{ScheduleFile, func(r io.Reader, run *Run) (err error) { run.Schedule, err = fault.ReadSchedule(r); return err }},
	{HistoryFile, func(r io.Reader, run *Run) (err error) { run.History, err = history.ReadJSONL(r); return err }},
	{GapsFile, func(r io.Reader, run *Run) (err error) { run.Gaps, err = gaps.Read(r); return err }},
	{GoroutinesFile, func(r io.Reader, run *Run) (err error) { run.Goroutines, err = readText(r); return err }},
	{StallFile, func(r io.Reader, run *Run) (err error) { run.Stall, err = readText(r); return err }},
	{DecisionsFile, func(r io.Reader, run *Run) (err error) { run.Decisions, err = decisions.Read(r); return err }},
}

func readText(r io.Reader) (string, error) {
	data, err := io.ReadAll(r)
	return string(data), err
}

// Read reads an artifact directory. An error names the file and, where it has
// lines, the line. A file of a newer version is refused by that version; fields
// that this version does not know are ignored. A file that the report lists and
// the directory lacks is an error.
func Read(dir string) (*Run, error) {
	report, err := ReadReport(dir)
	if err != nil {
		return nil, err
	}
	run := &Run{Report: report}
	for _, f := range readers {
		if !slices.Contains(run.Report.Files, f.name) {
			continue
		}
		if err := readFile(dir, f.name, func(r io.Reader) error { return f.read(r, run) }); err != nil {
			return nil, err
		}
	}
	if err := readExtra(dir, run); err != nil {
		return nil, err
	}
	return run, nil
}

// ReadReport reads the report of an artifact directory and nothing else of it.
func ReadReport(dir string) (report Report, err error) {
	err = readFile(dir, ReportFile, func(r io.Reader) (err error) { report, err = readReport(r); return err })
	if errors.Is(err, fs.ErrNotExist) {
		return report, fmt.Errorf("artifact: %s: not an artifact directory, it has no %s", dir, ReportFile)
	}
	return report, err
}

func readExtra(dir string, run *Run) error {
	for _, name := range run.Report.Files {
		if isOwn(name) {
			continue
		}
		if err := checkExtra(name); err != nil {
			return fmt.Errorf("artifact: %s: files: %w", filepath.Join(dir, ReportFile), err)
		}
		err := readFile(dir, name, func(r io.Reader) error {
			text, err := readText(r)
			if run.Extra == nil {
				run.Extra = map[string][]byte{}
			}
			run.Extra[name] = []byte(text)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func readFile(dir, name string, read func(io.Reader) error) error {
	path := filepath.Join(dir, name)
	if err := checkFile(path, sizeLimit(name)); err != nil {
		return fmt.Errorf("artifact: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("artifact: %w", err)
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("artifact: %s: %w", path, err)
	}
	return nil
}

func sizeLimit(name string) int64 {
	if name == TraceFile || name == HistoryFile {
		return maxLines
	}
	return maxWhole
}

// checkFile looks before a file is opened, since opening a pipe would wait for a
// writer.
func checkFile(path string, limit int64) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: not a regular file", path)
	case info.Size() > limit:
		return fmt.Errorf("%s: has %d bytes, and at most %d are read", path, info.Size(), limit)
	}
	return nil
}

// readReport reads report.json.
func readReport(r io.Reader) (Report, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Report{}, err
	}
	var version struct {
		N int `json:"faultline_report"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return Report{}, atLine(data, err)
	}
	if err := checkVersion("faultline_report", version.N, ReportVersion); err != nil {
		return Report{}, err
	}
	var report Report
	if err := json.Unmarshal(data, &report); err != nil {
		return Report{}, atLine(data, err)
	}
	return report, report.check()
}

// check returns what a report lacks to be one of this package.
func (r *Report) check() error {
	switch {
	case r.Status != Pass && r.Status != Fail:
		return fmt.Errorf("status is %q, want %q or %q", r.Status, Pass, Fail)
	case r.Status == Fail && r.Failure == nil:
		return errors.New("status is \"fail\", but there is no failure")
	case r.Test == "":
		return errors.New("test is empty, want the name of a test")
	}
	for _, n := range r.Nodes {
		if n.ID < 1 || n.ID > maxNodes {
			return fmt.Errorf("id of node %q is %d, want 1 to %d", n.Name, n.ID, maxNodes)
		}
	}
	return nil
}

// maxNodes bounds the ids of nodes, since names are kept by id.
const maxNodes = 1 << 20

// atLine puts the line of a JSON error before it.
func atLine(data []byte, err error) error {
	offset := int64(-1)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	if offset < 0 {
		return err
	}
	line := 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
	return fmt.Errorf("line %d: %w", line, err)
}
