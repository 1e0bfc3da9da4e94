// SPDX-License-Identifier: MPL-2.0

package main

import (
	"cmp"
	"flag"
	"fmt"
	"path/filepath"

	"github.com/hmdsefi/faultline/artifact/show"
)

func setShow(flags *flag.FlagSet) func(*call) error {
	causes := flags.Int("causes", show.DefaultCauses, "show at most `N` records that led to the failure")
	before := flags.Int("before", show.DefaultBefore, "show `N` records right before the failure or the end")
	return func(c *call) error {
		if err := cmp.Or(wantSome("causes", *causes), wantSome("before", *before)); err != nil {
			return err
		}
		dir, run, err := open(c.args[0], "")
		if err != nil {
			return err
		}
		if err := show.Write(c.stdout, run, show.Options{Color: c.color(), Causes: *causes, Before: *before}); err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.stdout, "\nmore in %s\n", filepath.Clean(dir)+string(filepath.Separator))
		return err
	}
}
