// SPDX-License-Identifier: MPL-2.0

package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/artifact/pin"
)

func setPin(flags *flag.FlagSet) func(*call) error {
	from := flags.String("C", ".", "look for the package of the test from `folder`, which must be in its module")
	write := flags.Bool("w", false, "write the test into a file of its own instead of printing it")
	return func(c *call) error {
		_, run, err := open(c.args[0], "")
		if err != nil {
			return err
		}
		folder, err := pin.Folder(*from, run.Report.Package)
		if err != nil {
			return err
		}
		test, err := pin.New(run, folder)
		if err != nil {
			return err
		}
		return c.writeTest(test, run, *write)
	}
}

// writeTest saves the files of the test before the test itself, which needs them.
func (c *call) writeTest(test *pin.Test, run *artifact.Run, toFile bool) error {
	if err := test.Save(run); err != nil {
		return err
	}
	fmt.Fprintf(c.stderr, "faultline: wrote %s\n", filepath.Join(test.Folder, test.Data))
	if !toFile {
		_, err := io.WriteString(c.stdout, test.Source)
		return err
	}
	path := filepath.Join(test.Folder, test.File)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(test.Source)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	fmt.Fprintf(c.stderr, "faultline: wrote %s; run: go test -run '^%s$' %s\n", path, test.Name, run.Report.Package)
	return err
}
