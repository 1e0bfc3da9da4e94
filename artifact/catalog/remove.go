// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hmdsefi/faultline/artifact"
)

// Remove removes an artifact that Open has returned, and the two directories above
// it if they are empty then. It looks at it once more: a directory that is not the
// artifact any more, or that holds anything besides the files of its report, stays
// as it is, with an error that says why.
func Remove(root string, e Entry) error {
	if err := Check(root, e); err != nil {
		return err
	}
	// Out of its place in one step, so that no reader meets half of it.
	aside, err := os.MkdirTemp(filepath.Dir(e.Dir), ".old-*")
	if err != nil {
		return err
	}
	moved := filepath.Join(aside, filepath.Base(e.Dir))
	if err := os.Rename(e.Dir, moved); err != nil {
		return errors.Join(err, os.Remove(aside))
	}
	// Another writer may have put a newer one there in between, which has files of its own.
	if err := checkMoved(moved); err != nil {
		return errors.Join(err, os.Rename(moved, e.Dir), os.Remove(aside))
	}
	if err := os.RemoveAll(aside); err != nil {
		return err
	}
	test := filepath.Dir(e.Dir)
	for _, dir := range []string{test, filepath.Dir(test)} {
		if os.Remove(dir) != nil { // not empty
			break
		}
	}
	return nil
}

// Check says why Remove would leave an artifact where it is, if it would.
func Check(root string, e Entry) error {
	info, err := os.Lstat(e.Dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s: not a directory", e.Dir)
	}
	now, err := Open(root, e.Dir)
	if err != nil {
		return err
	}
	return checkFiles(e.Dir, now.Report.Files)
}

func checkMoved(dir string) error {
	r, err := artifact.ReadReport(dir)
	if err != nil {
		return err
	}
	return checkFiles(dir, r.Files)
}

// checkFiles finds what the report of a directory does not list.
func checkFiles(dir string, files []string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !slices.Contains(files, e.Name()) {
			return fmt.Errorf("%s holds %q, which is no file of the artifact", dir, e.Name())
		}
	}
	return nil
}

// Size returns the number of bytes in the files of an artifact.
func Size(e Entry) (bytes int64) {
	filepath.WalkDir(e.Dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be looked at is not counted
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
