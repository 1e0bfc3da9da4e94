// SPDX-License-Identifier: MPL-2.0

package main

import (
	"flag"
	"fmt"
	"path/filepath"

	"github.com/hmdsefi/faultline/artifact"
)

func setRender(*flag.FlagSet) func(*call) error { return render }

func render(c *call) error {
	dir, err := dir(c.args[0], "")
	if err != nil {
		return err
	}
	names, err := artifact.Render(dir)
	for _, name := range names {
		if _, printErr := fmt.Fprintln(c.stdout, filepath.Join(dir, name)); err == nil {
			err = printErr
		}
	}
	return err
}
