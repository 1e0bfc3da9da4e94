// SPDX-License-Identifier: MPL-2.0

package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/artifact/catalog"
	"github.com/hmdsefi/faultline/artifact/compare"
)

func setDiff(flags *flag.FlagSet) func(*call) error {
	context := flags.Int("context", compare.DefaultContext, "show `N` records before the first difference, and of each run from there")
	return func(c *call) error {
		if err := wantSome("context", *context); err != nil {
			return err
		}
		dirA, a, err := open(c.args[0], "")
		if err != nil {
			return err
		}
		dirB, b, err := c.other(dirA, a)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(c.stdout, "A %s\nB %s\n\n", filepath.Clean(dirA), filepath.Clean(dirB)); err != nil {
			return err
		}
		return compare.Runs(a, b).Write(c.stdout, compare.Options{Color: c.color(), Context: *context})
	}
}

// other returns the run to compare with a.
func (c *call) other(dirA string, a *artifact.Run) (string, *artifact.Run, error) {
	if len(c.args) == 1 {
		return c.nearest(dirA, a)
	}
	return open(c.args[1], dirA)
}

// nearest returns the passing run of the same test that is nearest to a, of those that have
// their artifacts beside it.
func (c *call) nearest(dirA string, a *artifact.Run) (dir string, run *artifact.Run, err error) {
	dirA, err = filepath.Abs(dirA)
	if err != nil {
		return "", nil, err
	}
	root := filepath.Dir(filepath.Dir(filepath.Dir(dirA)))
	list, problems, err := c.find(root)
	if err != nil {
		return "", nil, err
	}
	list = slices.DeleteFunc(list, func(e catalog.Entry) bool {
		r := &e.Report
		return r.Status != artifact.Pass || r.Package != a.Report.Package || r.Test != a.Report.Test || e.Dir == dirA
	})
	if len(list) == 0 {
		c.report(problems)
		return "", nil, fmt.Errorf("no passing run of %s has an artifact below %s; make some with FAULTLINE_TRACE=full, or name the other run", a.Report.Test, root)
	}
	bar := c.bar(len(list), "runs compared", "unreadable")
	defer bar.Clear()
	n := compare.Nearest{Run: a}
	for _, e := range list {
		b, readErr := artifact.Read(e.Dir)
		bar.Add(readErr != nil)
		if readErr != nil {
			err = readErr // what the only one says
			continue
		}
		if n.Offer(b) {
			dir, run = e.Dir, b
		}
	}
	if run != nil {
		err = nil
	}
	return dir, run, err
}
