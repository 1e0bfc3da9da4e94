// SPDX-License-Identifier: MPL-2.0

// Package catalog owns what lies below an artifact root: which directories there
// are artifacts, which of them a seed names, and their removal. It must not know
// what an artifact says beyond its report. Nothing in it keeps state.
package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/artifact/internal/lines"
)

// Entry is one artifact directory.
type Entry struct {
	Dir      string
	Report   artifact.Report
	Modified time.Time // when its report was written
}

// Signature returns the signature of the failure, or "pass", as a text for a terminal.
func (e *Entry) Signature() string {
	if e.Report.Failure == nil {
		return string(artifact.Pass)
	}
	return lines.Printable(e.Report.Failure.Signature)
}

// Problem is a directory in the place of an artifact that is none, or none that can
// be read.
type Problem struct {
	Dir string
	Err error
}

// Places lists the directories below root that have the place and the name of an
// artifact: <package>/<test>/<16 hexadecimal digits>. A root that does not exist
// has none. What a symbolic link points to is no part of it.
func Places(root string) ([]string, error) {
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a directory", root)
	}
	dirs := []string{root}
	for range 3 {
		var below []string
		for _, dir := range dirs {
			names, err := folders(dir)
			if err != nil {
				return nil, err
			}
			below = append(below, names...)
		}
		dirs = below
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return !seedName.MatchString(filepath.Base(dir)) }), nil
}

var seedName = regexp.MustCompile(`^[0-9a-f]{16}$`)

// folders lists the directories in dir, unless somebody has just removed it.
func folders(dir string) (list []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list, err
}

// ErrElsewhere is the problem of an artifact that lies in the place of another one.
var ErrElsewhere = errors.New("its report is that of another place, so it was copied here")

// Open returns the artifact in one of Places. It is one if its report can be read
// and belongs there.
func Open(root, dir string) (e Entry, err error) {
	e.Dir = dir
	if e.Report, err = artifact.ReadReport(dir); err != nil {
		return e, err
	}
	r := &e.Report
	if filepath.Clean(dir) != artifact.Dir(root, r.Package, r.Test, uint64(r.Seed)) {
		return e, fmt.Errorf("%s: %w", dir, ErrElsewhere)
	}
	info, err := os.Stat(filepath.Join(dir, artifact.ReportFile))
	if err != nil {
		return e, err
	}
	e.Modified = info.ModTime()
	return e, nil
}

// Find opens all places below root. It calls seen, unless that is nil, after each of
// them with the number of all.
func Find(root string, seen func(all int, bad bool)) ([]Entry, []Problem, error) {
	places, err := Places(root)
	var list []Entry
	var problems []Problem
	for _, dir := range places {
		e, err := Open(root, dir)
		if err != nil {
			problems = append(problems, Problem{dir, err})
		} else {
			list = append(list, e)
		}
		if seen != nil {
			seen(len(places), err != nil)
		}
	}
	return list, problems, err
}

// Group is the artifacts of one test with one signature. The names are texts for a terminal.
type Group struct {
	Package, Test, Signature string
	Entries                  []Entry // the newest first
}

// Groups sorts artifacts by test and signature; those that passed come last.
func Groups(list []Entry) []Group {
	type key struct{ pkg, test, signature string }
	index := map[key]int{}
	var groups []Group
	for _, e := range list {
		k := key{lines.Printable(e.Report.Package), lines.Printable(e.Report.Test), e.Signature()}
		i, ok := index[k]
		if !ok {
			i = len(groups)
			index[k] = i
			groups = append(groups, Group{Package: k.pkg, Test: k.test, Signature: k.signature})
		}
		groups[i].Entries = append(groups[i].Entries, e)
	}
	for i := range groups {
		slices.SortFunc(groups[i].Entries, newest)
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Test, b.Test),
			cmp.Compare(a.passed(), b.passed()), -cmp.Compare(len(a.Entries), len(b.Entries)), cmp.Compare(a.Signature, b.Signature))
	})
	return groups
}

func (g *Group) passed() int {
	if g.Entries[0].Report.Status == artifact.Pass {
		return 1
	}
	return 0
}

func newest(a, b Entry) int {
	return cmp.Or(b.Modified.Compare(a.Modified), cmp.Compare(a.Report.Seed, b.Report.Seed))
}
