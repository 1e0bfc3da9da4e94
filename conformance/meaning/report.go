// SPDX-License-Identifier: MPL-2.0

package meaning

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
)

// Report is everything that was compared.
type Report struct {
	Go       string           `json:"go"` // of the toolchain, with the platform
	Folders  map[string]Tally `json:"folders,omitempty"`
	Skipped  Skips            `json:"skipped,omitempty"`
	Programs []Compared       `json:"programs,omitempty"` // that are not the same
	Suites   []SuiteResult    `json:"suites,omitempty"`
}

// Tally counts the programs of a folder.
type Tally struct {
	Compared int `json:"compared"`
	Same     int `json:"same"`
	Success  int `json:"success"`  // of these, programs that ended with exit status 0
	Expected int `json:"expected"` // of these, programs that printed what they are expected to
	Varies   int `json:"varies"`
	Differs  int `json:"differs"`
}

// NewReport is an empty report.
func NewReport(goVersion string) *Report {
	return &Report{Go: goVersion, Folders: map[string]Tally{}, Skipped: Skips{}}
}

// Skip counts programs that were not compared.
func (r *Report) Skip(skips Skips) { r.Skipped.add(skips) }

// Add counts a program.
func (r *Report) Add(c Compared) {
	if c.Verdict == Skipped {
		r.Skipped[c.Reason]++
		return
	}
	folder := path.Dir(filepath.ToSlash(c.Program))
	t := r.Folders[folder]
	t.add(c)
	r.Folders[folder] = t
	if c.Verdict != Same {
		r.Programs = append(r.Programs, c)
	}
}

func (t *Tally) add(c Compared) {
	t.Compared++
	switch c.Verdict {
	case Same:
		t.Same++
	case Varies:
		t.Varies++
	case Differs:
		t.Differs++
	}
	if c.Success {
		t.Success++
	}
	if c.Expected {
		t.Expected++
	}
}

// Total sums the folders.
func (r *Report) Total() (sum Tally) {
	for _, t := range r.Folders {
		sum.Compared += t.Compared
		sum.Same += t.Same
		sum.Success += t.Success
		sum.Expected += t.Expected
		sum.Varies += t.Varies
		sum.Differs += t.Differs
	}
	return sum
}

// Err names what differs. What varies is listed in the report, but is no error.
func (r *Report) Err() error {
	var errs []error
	for _, c := range r.Programs {
		if c.Verdict == Differs {
			errs = append(errs, fmt.Errorf("%s differs", c.Program))
		}
	}
	for _, s := range r.Suites {
		for _, d := range s.Differences {
			if d.Verdict == Differs {
				errs = append(errs, fmt.Errorf("%s: %s %s differs", s.Suite, d.Package, d.Name))
			}
		}
	}
	return errors.Join(errs...)
}
