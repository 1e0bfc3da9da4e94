// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

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
	if err := os.Rename(dir, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := os.Rename(temp, dir)
	if err != nil {
		// Nothing is put back where another process was faster.
		_ = os.Rename(aside, dir)
	}
	return errors.Join(err, os.RemoveAll(aside))
}
