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
