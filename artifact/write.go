// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// ErrFailingKept is the error of Write for a passing run whose directory holds a
// failing one.
var ErrFailingKept = errors.New("it holds a failing run, which a passing one does not replace")

// ErrForeign is the error of Write for a directory that it did not make.
var ErrForeign = errors.New("it is in the way and is not an artifact directory")

// Write writes run into its directory below root and returns the directory. The
// files appear all at once, in the place of an earlier artifact of the seed, if
// there is one. The earlier one stays if it failed and run passed (ErrFailingKept);
// anything else in the way stays too (ErrForeign). run is not changed.
func Write(root string, run *Run) (dir string, err error) {
	dir = Dir(root, run.Report.Package, run.Report.Test, uint64(run.Report.Seed))
	if err := mayReplace(dir, &run.Report); err != nil {
		return "", fmt.Errorf("artifact: %s: %w", dir, err)
	}
	temp, err := makeTemp(filepath.Dir(dir))
	if err != nil {
		return "", fmt.Errorf("artifact: %w", err)
	}
	defer os.RemoveAll(temp) // what is left of it
	if err := os.Chmod(temp, 0o755); err != nil {
		return "", fmt.Errorf("artifact: %w", err)
	}
	if err := fill(temp, run, wantedFiles(run)); err != nil {
		return "", fmt.Errorf("artifact: %s: %w", dir, err)
	}
	if err := moveInto(temp, dir, &run.Report); err != nil {
		return "", fmt.Errorf("artifact: %s: %w", dir, err)
	}
	return dir, nil
}

// makeTemp makes a directory in parent, and parent if it is not there or was removed
// as empty in between.
func makeTemp(parent string) (temp string, err error) {
	for range tries {
		if err := os.MkdirAll(parent, 0o755); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if temp, err = os.MkdirTemp(parent, ".new-*"); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return temp, err
}

// WriteTo writes the report of run, and of its other files those that are named and
// that it has, into a new directory. There must be nothing in its place. run is not
// changed.
func WriteTo(dir string, run *Run, names ...string) error {
	r := *run
	r.Extra = nil
	names = append(names, ReportFile)
	wanted := slices.DeleteFunc(wantedFiles(&r), func(f file) bool { return !slices.Contains(names, f.name) })
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("artifact: %w", err)
	}
	if err := fill(dir, &r, wanted); err != nil {
		return fmt.Errorf("artifact: %s: %w", dir, errors.Join(err, os.RemoveAll(dir)))
	}
	return nil
}

// fill writes files of run, and those that it brings along, into temp.
func fill(temp string, run *Run, wanted []file) error {
	r := *run
	r.Report = complete(run)
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
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(write(f, run), f.Close())
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
	if isOwn(name) {
		return fmt.Errorf("extra file %q was left out: faultline has a file of that name", name)
	}
	return nil
}
