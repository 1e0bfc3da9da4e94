// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/artifact/catalog"
	"github.com/hmdsefi/faultline/internal/progress"
)

// call is one call of a command.
type call struct {
	args           []string
	stdout, stderr io.Writer
}

// color reports whether the output is for somebody who sees colours.
func (c *call) color() bool {
	f, ok := c.stdout.(*os.File)
	return ok && progress.IsTerminal(f) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// bar shows on standard error how far work has come, if somebody watches.
func (c *call) bar(total int, unit, bad string) *progress.Bar {
	f, ok := c.stderr.(*os.File)
	if !ok {
		return nil
	}
	return progress.New(f, total, unit, bad)
}

// root returns the artifact root: the argument, or that of tests.
func (c *call) root() (string, error) {
	if len(c.args) > 0 {
		return c.args[0], nil
	}
	return testRoot()
}

func testRoot() (string, error) {
	root := artifact.Root(os.Getenv(artifact.RootVariable))
	if root == "" {
		return "", errors.New(artifact.RootVariable + " is off, so there is no artifact root; name one")
	}
	return root, nil
}

// dir returns the artifact directory that a word means; near is another one of the call.
func dir(word, near string) (string, error) {
	root, err := testRoot()
	if err != nil {
		root = "" // a path needs none
	}
	return catalog.Resolve(word, root, near)
}

// wantSome refuses a flag that would ask for less than one record.
func wantSome(flag string, n int) error {
	if n < 1 {
		return fmt.Errorf("-%s is %d; it accepts a whole number from 1", flag, n)
	}
	return nil
}

// open reads the run of the artifact directory that a word means; near is another one of the call.
func open(word, near string) (path string, run *artifact.Run, err error) {
	if path, err = dir(word, near); err != nil {
		return "", nil, err
	}
	run, err = artifact.Read(path)
	return path, run, err
}

// findAll opens the artifacts below the root of the call.
func (c *call) findAll() (root string, list []catalog.Entry, problems []catalog.Problem, err error) {
	if root, err = c.root(); err != nil {
		return "", nil, nil, err
	}
	list, problems, err = c.find(root)
	return root, list, problems, err
}

// find opens the artifacts below root.
func (c *call) find(root string) ([]catalog.Entry, []catalog.Problem, error) {
	var bar *progress.Bar
	list, problems, err := catalog.Find(root, func(all int, bad bool) {
		if bar == nil {
			bar = c.bar(all, "artifacts", "unreadable")
		}
		bar.Add(bad)
	})
	bar.Clear()
	return list, problems, err
}

// report tells what is in the place of an artifact and is none.
func (c *call) report(problems []catalog.Problem) {
	for _, p := range problems {
		fmt.Fprintf(c.stderr, "faultline: left alone: %v\n", p.Err)
	}
}
