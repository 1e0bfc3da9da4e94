// SPDX-License-Identifier: MPL-2.0

package main

import (
	"flag"
	"fmt"
	"path/filepath"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/artifact/show"
)

func setShow(flags *flag.FlagSet) func(*call) error {
	causes := flags.Int("causes", show.DefaultCauses, "show at most `N` records that led to the failure")
	before := flags.Int("before", show.DefaultBefore, "show `N` records right before the failure or the end")
	return func(c *call) error {
		dir, err := dir(c.args[0], "")
		if err != nil {
			return err
		}
		run, err := artifact.Read(dir)
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
