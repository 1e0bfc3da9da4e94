// SPDX-License-Identifier: MPL-2.0

// Command faultline works on the artifact directories that failing seeds leave.
//
//	faultline render DIR    write the rendered files of DIR once more
//	faultline version       print the version
//
// It owns its command line only: what a directory holds is for package artifact
// to know. It exits with 0 on success, 1 when the work failed and 2 when the
// arguments were wrong.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/hmdsefi/faultline/artifact"
)

const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// command is one subcommand.
type command struct {
	name    string
	args    []string // names of its arguments
	summary string
	run     func(args []string, stdout io.Writer) error
}

var commands = []command{
	{"render", []string{"DIR"}, "write report.txt, timeline.txt, timeline.html and hb.mmd of an artifact directory once more", render},
	{"version", nil, "print the version", version},
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
	for _, c := range commands {
		if c.name != args[0] {
			continue
		}
		if given := args[1:]; len(given) != len(c.args) {
			return wrongArguments(stderr, fmt.Sprintf("%s takes %s, not %q", c.name, count(len(c.args)), given))
		}
		if err := c.run(args[1:], stdout); err != nil {
			fmt.Fprintf(stderr, "faultline: %v\n", err)
			return exitError
		}
		return exitOK
	}
	return wrongArguments(stderr, fmt.Sprintf("unknown command %q", args[0]))
}

func isHelp(arg string) bool {
	return arg == "help" || arg == "-h" || arg == "-help" || arg == "--help"
}

func count(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return "no argument"
}

func wrongArguments(stderr io.Writer, problem string) int {
	fmt.Fprintf(stderr, "faultline: %s\n", problem)
	usage(stderr)
	return exitUsage
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage:")
	for _, c := range commands {
		call := "faultline " + c.name
		for _, arg := range c.args {
			call += " " + arg
		}
		fmt.Fprintf(w, "\t%-22s %s\n", call, c.summary)
	}
}

func render(args []string, stdout io.Writer) error {
	names, err := artifact.Render(args[0])
	for _, name := range names {
		if _, printErr := fmt.Fprintln(stdout, filepath.Join(args[0], name)); err == nil {
			err = printErr
		}
	}
	return err
}

func version(_ []string, stdout io.Writer) error {
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	_, err := fmt.Fprintf(stdout, "faultline %s %s %s/%s\n", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
