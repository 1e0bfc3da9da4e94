// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/artifact/catalog"
)

func setClean(flags *flag.FlagSet) func(*call) error {
	dry := flags.Bool("n", false, "say what would be removed, and remove nothing")
	older := flags.Duration("older", 0, "only artifacts that are older than `duration`, such as 72h")
	passing := flags.Bool("passing", false, "only artifacts of runs that passed")
	return func(c *call) error {
		if *older < 0 {
			return fmt.Errorf("-older is %v; it accepts 0 or a positive duration", *older)
		}
		root, list, problems, err := c.findAll()
		if err != nil {
			return err
		}
		before := time.Now().Add(-*older)
		list = slices.DeleteFunc(list, func(e catalog.Entry) bool {
			return e.Modified.After(before) || *passing && e.Report.Status != artifact.Pass
		})
		c.report(problems)
		return c.clean(root, list, *dry)
	}
}

// clean removes artifacts and prints each, and the sum.
func (c *call) clean(root string, list []catalog.Entry, dry bool) error {
	work, verb := catalog.Remove, "removed"
	if dry {
		work, verb = catalog.Check, "would remove"
	}
	var errs []error
	var bytes int64
	done := 0
	for _, e := range list {
		size := catalog.Size(e)
		if err := work(root, e); err != nil {
			errs = append(errs, err)
			continue
		}
		bytes += size
		done++
		if _, err := fmt.Fprintf(c.stdout, "%s %s  %s\n", verb, e.Dir, e.Signature()); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(c.stdout, "%s %s, %.1f MB, below %s\n", verb, plural(done, "artifact"), float64(bytes)/1e6, root); err != nil {
		return err
	}
	return errors.Join(errs...)
}
