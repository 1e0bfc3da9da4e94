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
	"strings"

	"github.com/hmdsefi/faultline/gaps"
	"github.com/hmdsefi/faultline/sim/history"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// ErrFailingKept is the error of Write for a passing run whose directory holds a
// failing one.
var ErrFailingKept = errors.New("it holds a failing run, which a passing one does not replace")

// ErrForeign is the error of Write for a directory that it did not make.
var ErrForeign = errors.New("it is in the way and is not an artifact directory")

// file is one file of the directory and what writes it; wanted is false for a run
// that has no such file.
type file struct {
	name   string
	wanted func(*Run) bool
	write  func(io.Writer, *Run) error
}

func always(*Run) bool { return true }

func hasTrace(r *Run) bool { return len(r.Records) > 0 }

// files are the files in the order in which they are written: report.json is the
// last, since it lists the others and makes the directory an artifact.
func files() []file {
	return []file{
		{TraceFile, hasTrace, writeTrace},
		{ScheduleFile, func(r *Run) bool { return r.Schedule != nil }, func(w io.Writer, r *Run) error { return r.Schedule.Write(w) }},
		{HistoryFile, func(r *Run) bool { return len(r.History) > 0 }, func(w io.Writer, r *Run) error { return history.WriteJSONL(w, r.History) }},
		{GapsFile, always, func(w io.Writer, r *Run) error { return gaps.Write(w, r.Gaps) }},
		{GoroutinesFile, func(r *Run) bool { return r.Goroutines != "" }, func(w io.Writer, r *Run) error { return writeText(w, r.Goroutines) }},
		{StallFile, func(r *Run) bool { return r.Stall != "" }, func(w io.Writer, r *Run) error { return writeText(w, r.Stall) }},
		{ConsoleFile, always, func(w io.Writer, r *Run) error { return Console(w, r) }},
		{TimelineFile, hasTrace, func(w io.Writer, r *Run) error { return Timeline(w, r) }},
		{DiagramFile, func(r *Run) bool { return hasTrace(r) && r.Report.Failure != nil }, func(w io.Writer, r *Run) error { return Diagram(w, r) }},
		{ReportFile, always, func(w io.Writer, r *Run) error { return writeReport(w, &r.Report) }},
	}
}

func writeText(w io.Writer, text string) error {
	_, err := io.WriteString(w, strings.TrimRight(text, "\n")+"\n")
	return err
}

// Write writes run into its directory below root and returns the directory. The
// files appear all at once, in the place of an earlier artifact of the seed, if
// there is one. The earlier one stays if it failed and run passed (ErrFailingKept);
// anything else in the way stays too (ErrForeign). run is not changed.
func Write(root string, run *Run) (dir string, err error) {
	dir = Dir(root, run.Report.Package, run.Report.Test, uint64(run.Report.Seed))
	if err := mayReplace(dir, &run.Report); err != nil {
		return "", fmt.Errorf("artifact: %s: %w", dir, err)
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", fmt.Errorf("artifact: %w", err)
	}
	temp, err := os.MkdirTemp(parent, ".new-*")
	if err != nil {
		return "", fmt.Errorf("artifact: %w", err)
	}
	defer os.RemoveAll(temp) // what is left of it
	if err := os.Chmod(temp, 0o755); err != nil {
		return "", fmt.Errorf("artifact: %w", err)
	}
	if err := fill(temp, run); err != nil {
		return "", fmt.Errorf("artifact: %s: %w", dir, err)
	}
	if err := moveInto(temp, dir, &run.Report); err != nil {
		return "", fmt.Errorf("artifact: %s: %w", dir, err)
	}
	return dir, nil
}

// fill writes all files of run into temp.
func fill(temp string, run *Run) error {
	r := *run
	r.Report = complete(run)
	wanted := wantedFiles(&r)
	for _, f := range wanted {
		r.Report.Files = append(r.Report.Files, f.name)
	}
	for _, name := range extraNames(run.Extra) {
		if err := checkExtra(name); err != nil {
			r.Report.Warnings = append(r.Report.Warnings, err.Error())
			continue
		}
		if err := os.WriteFile(filepath.Join(temp, name), run.Extra[name], 0o644); err != nil {
			return err
		}
		r.Report.Files = append(r.Report.Files, name)
	}
	slices.Sort(r.Report.Files)
	for _, f := range wanted {
		if err := writeFile(filepath.Join(temp, f.name), &r, f.write); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

func wantedFiles(r *Run) []file {
	return slices.DeleteFunc(files(), func(f file) bool { return !f.wanted(r) })
}

// complete returns the report with the fields that follow from others.
func complete(run *Run) Report {
	r := run.Report
	r.Version = ReportVersion
	r.Warnings = slices.Clone(r.Warnings)
	r.Files = nil
	r.Run.End = kernel.Time(r.Run.EndNS).String()
	if r.Failure != nil {
		f := *r.Failure
		f.At = kernel.Time(f.AtNS).String()
		f.Signature = f.Kind + ":" + f.Check
		r.Failure = &f
	}
	return r
}

func writeFile(path string, run *Run, write func(io.Writer, *Run) error) error {
	var b bytes.Buffer
	if err := write(&b, run); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

func writeReport(w io.Writer, r *Report) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

func extraNames(extra map[string][]byte) []string {
	names := make([]string, 0, len(extra))
	for name := range extra {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// checkExtra says why a run cannot add a file of that name.
func checkExtra(name string) error {
	if !filepath.IsLocal(name) || filepath.Base(name) != name || strings.ContainsAny(name, `/\:`) || name[0] == '.' {
		return fmt.Errorf("extra file %q was left out: want a plain file name", name)
	}
	if slices.ContainsFunc(files(), func(f file) bool { return strings.EqualFold(f.name, name) }) {
		return fmt.Errorf("extra file %q was left out: faultline has a file of that name", name)
	}
	return nil
}

// mayReplace returns why what is at dir, if anything, must stay.
func mayReplace(dir string, r *Report) error {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return ErrForeign
	}
	old, err := peek(dir)
	switch {
	case err != nil:
		return ErrForeign
	case old.Package != r.Package || old.Test != r.Test:
		return fmt.Errorf("it belongs to test %s of %s, whose name this file system does not tell apart", old.Test, old.Package)
	case old.Status == Fail && r.Status == Pass:
		return ErrFailingKept
	}
	return nil
}

// peek reads as much of a report of any version as it takes to tell an artifact
// and whose it is.
func peek(dir string) (old struct {
	Version int `json:"faultline_report"`
	Status  Status
	Package string
	Test    string
}, err error) {
	data, err := os.ReadFile(filepath.Join(dir, ReportFile))
	if err != nil {
		return old, err
	}
	if err := json.Unmarshal(data, &old); err != nil {
		return old, err
	}
	if old.Version < 1 {
		return old, errors.New("no report")
	}
	return old, nil
}

// tries bounds how often moveInto meets another process at the same place.
const tries = 10

// moveInto renames temp to dir. An artifact that is there is moved aside first and
// deleted afterwards, so at no time does dir hold a part of one.
func moveInto(temp, dir string, r *Report) error {
	var err error
	for range tries {
		if err = mayReplace(dir, r); err != nil {
			return err
		}
		if err = replace(temp, dir); err == nil {
			return nil
		}
	}
	return err
}

func replace(temp, dir string) error {
	aside := temp + ".old"
	err := os.Rename(dir, aside)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	moved := err == nil
	if err := os.Rename(temp, dir); err != nil {
		if moved {
			err = errors.Join(err, os.Rename(aside, dir))
		}
		return err
	}
	if moved {
		return os.RemoveAll(aside)
	}
	return nil
}
