// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bufio"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/artifact/catalog"
)

// listedSeeds is how many seeds of a signature are listed.
const listedSeeds = 6

func setList(flags *flag.FlagSet) func(*call) error {
	dirs := flags.Bool("dirs", false, "print the directories, one a line, and nothing else")
	return func(c *call) error {
		root, list, problems, err := c.findAll()
		if err != nil {
			return err
		}
		groups := catalog.Groups(list)
		out := bufio.NewWriter(c.stdout)
		switch {
		case *dirs:
			writeDirs(out, groups)
		case len(list) == 0:
			fmt.Fprintf(out, "no artifacts below %s\n", root)
		default:
			writeGroups(out, groups)
		}
		c.report(problems)
		return out.Flush()
	}
}

func writeDirs(out *bufio.Writer, groups []catalog.Group) {
	for _, g := range groups {
		for _, e := range g.Entries {
			fmt.Fprintln(out, e.Dir)
		}
	}
}

// writeGroups prints a paragraph for each test.
func writeGroups(out *bufio.Writer, groups []catalog.Group) {
	test := ""
	for _, g := range groups {
		if name := g.Package + " " + g.Test; name != test {
			if test != "" {
				fmt.Fprintln(out)
			}
			test = name
			fmt.Fprintf(out, "%s  %s\n", g.Test, g.Package)
		}
		newest := g.Entries[0]
		fmt.Fprintf(out, "%6d  %s\n", len(g.Entries), g.Signature)
		fmt.Fprintf(out, "        newest  %s  %s\n", newest.Modified.In(time.Local).Format(time.DateTime), newest.Dir)
		fmt.Fprintf(out, "        seeds   %s\n", seeds(g.Entries))
	}
}

func seeds(list []catalog.Entry) string {
	var words []string
	for _, e := range list[:min(len(list), listedSeeds)] {
		words = append(words, e.Report.Seed.String())
	}
	if n := len(list) - listedSeeds; n > 0 {
		words = append(words, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(words, " ")
}
