// SPDX-License-Identifier: MPL-2.0

// Command faultline works on the artifact directories that failing seeds leave.
//
//	faultline show DIR          the report of a run, and what led to its failure
//	faultline diff DIR [DIR]    where two runs part, and in what they differ
//	faultline list [ROOT]       the artifacts below a root, by signature
//	faultline pin DIR           a regression test for the seed of a run
//	faultline clean [ROOT]      remove the artifacts below a root
//	faultline render DIR        write the rendered files of DIR once more
//	faultline version           print the version
//
// It owns its command line only: what a directory holds is for package artifact
// and those below it to know. It exits with 0 on success, 1 when the work failed
// and 2 when the arguments were wrong.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// command is one subcommand.
type command struct {
	name        string
	args        string // how usage names its arguments
	least, most int    // number of them
	summary     string

	// set adds the command's flags to those of a call and returns what does the work.
	set func(*flag.FlagSet) func(*call) error
}

var commands = []command{
	{"show", "DIR", 1, 1, "print the report of a run, and the records that led to its failure", setShow},
	{"diff", "DIR [DIR]", 1, 2, "print where two runs part and what differs; the second is the nearest passing one unless named", setDiff},
	{"list", "[ROOT]", 0, 1, "print which artifacts there are, by test and signature", setList},
	{"pin", "DIR", 1, 1, "print a regression test for the seed of a run, and copy its schedule into testdata", setPin},
	{"clean", "[ROOT]", 0, 1, "remove artifact directories, and nothing else", setClean},
	{"render", "DIR", 1, 1, "write report.txt, timeline.txt, timeline.html and hb.mmd of an artifact directory once more", setRender},
	{"version", "", 0, 0, "print the version", setVersion},
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main without the process around it. It returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		return wrongArguments(stderr, "a command is missing")
	}
	if isHelp(args[0]) {
		usage(stdout)
		return exitOK
	}
	for i := range commands {
		if commands[i].name == args[0] {
			return commands[i].call(args[1:], stdout, stderr)
		}
	}
	return wrongArguments(stderr, fmt.Sprintf("unknown command %q", args[0]))
}

// call runs the command with its arguments. Flags may stand between them.
func (c *command) call(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	work := c.set(flags)
	words, err := parse(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.help(flags, stdout)
		return exitOK
	case err != nil:
		return wrongArguments(stderr, fmt.Sprintf("%s: %v", c.name, err))
	case len(words) < c.least || len(words) > c.most:
		return wrongArguments(stderr, fmt.Sprintf("%s takes %s, not %q", c.name, c.count(), words))
	}
	if err := work(&call{args: words, stdout: stdout, stderr: stderr}); err != nil {
		fmt.Fprintf(stderr, "faultline: %v\n", err)
		return exitError
	}
	return exitOK
}

// parse returns the arguments that are no flags.
func parse(flags *flag.FlagSet, args []string) (words []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		rest := flags.Args()
		if len(rest) == 0 {
			return words, nil
		}
		if n := len(args) - len(rest); n > 0 && args[n-1] == "--" {
			return append(words, rest...), nil
		}
		words, args = append(words, rest[0]), rest[1:]
	}
}

func (c *command) count() string {
	switch {
	case c.most == 0:
		return "no argument"
	case c.least == c.most:
		return plural(c.most, "argument")
	}
	return fmt.Sprintf("%d to %s", c.least, plural(c.most, "argument"))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func isHelp(arg string) bool {
	return arg == "help" || arg == "-h" || arg == "-help" || arg == "--help"
}

func wrongArguments(stderr io.Writer, problem string) int {
	fmt.Fprintf(stderr, "faultline: %s\n", problem)
	usage(stderr)
	return exitUsage
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage:")
	for i := range commands {
		fmt.Fprintf(w, "\t%-26s %s\n", commands[i].line(), commands[i].summary)
	}
	fmt.Fprintln(w, "DIR is an artifact directory, or the seed of one below the artifact root. faultline COMMAND -h lists flags.")
}

func (c *command) line() string {
	line := "faultline " + c.name
	if c.args != "" {
		line += " " + c.args
	}
	return line
}

// help is the usage of one command.
func (c *command) help(flags *flag.FlagSet, w io.Writer) {
	fmt.Fprintf(w, "usage: %s\n%s\n", c.line(), c.summary)
	flags.SetOutput(w)
	flags.PrintDefaults()
}
