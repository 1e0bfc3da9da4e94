// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// mayReplace returns why what is at dir, if anything, must stay.
func mayReplace(dir string, r *Report) error {
	for range tries {
		before, err := os.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !before.IsDir():
			return ErrForeign
		}
		old, err := peek(dir)
		if err == nil {
			return old.yieldsTo(r)
		}
		// Another writer may have moved it away in between.
		if after, err := os.Lstat(dir); err == nil && os.SameFile(before, after) {
			return ErrForeign
		}
	}
	return errBusy
}

// tries bounds how often one writer can find that others were faster.
const tries = 100

var errBusy = errors.New("other processes keep writing it")

// owner is what a report of any version says about whose it is.
type owner struct {
	Version int `json:"faultline_report"`
	Status  Status
	Package string
	Test    string
}

// yieldsTo returns why the artifact of old stays in spite of a run with report r.
func (old owner) yieldsTo(r *Report) error {
	switch {
	case old.Package != r.Package || old.Test != r.Test:
		return fmt.Errorf("it belongs to test %s of %s, whose name this file system does not tell apart", old.Test, old.Package)
	case old.Status == Fail && r.Status == Pass:
		return ErrFailingKept
	}
	return nil
}

// peek reads the report of dir as far as it takes to tell an artifact.
func peek(dir string) (old owner, err error) {
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

// moveInto renames temp to dir. An artifact that is there is moved aside first and
// deleted afterwards, so at no time does dir hold a part of one.
func moveInto(temp, dir string, r *Report) error {
	for range tries {
		if err := mayReplace(dir, r); err != nil {
			return err
		}
		if done, err := replace(temp, dir, r); done || err != nil {
			return err
		}
	}
	return errBusy
}

// replace makes one attempt. It is not done if another writer put its artifact
// there meanwhile.
func replace(temp, dir string, r *Report) (done bool, err error) {
	aside := temp + ".old"
	err = os.Rename(dir, aside)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return put(temp, dir)
	case err != nil:
		return false, err
	}
	// What was moved may be younger than what was looked at.
	if err := mayReplace(aside, r); err != nil {
		return true, errors.Join(err, os.Rename(aside, dir))
	}
	done, err = put(temp, dir)
	if err != nil {
		return done, errors.Join(err, os.Rename(aside, dir))
	}
	return done, os.RemoveAll(aside)
}

// put renames temp to dir, where nothing must be.
func put(temp, dir string) (done bool, err error) {
	err = os.Rename(temp, dir)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTEMPTY) {
		return false, nil
	}
	return err == nil, err
}
