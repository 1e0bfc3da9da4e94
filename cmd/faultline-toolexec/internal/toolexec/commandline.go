// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"slices"
	"strings"
)

// commandLine is the argument list of a compiler: flags, then source files.
type commandLine struct {
	flags   []string
	sources []string
}

// parseCommandLine splits arguments. The go command writes every Go file behind all flags, and no flag before
// the first of them takes a value that looks like a Go file.
func parseCommandLine(args []string) commandLine {
	first := len(args)
	for first > 0 && isSource(args[first-1]) {
		first--
	}
	return commandLine{flags: slices.Clone(args[:first]), sources: slices.Clone(args[first:])}
}

func isSource(arg string) bool { return strings.HasSuffix(arg, ".go") && !strings.HasPrefix(arg, "-") }

func (c commandLine) args() []string { return slices.Concat(c.flags, c.sources) }

// has reports whether a flag without a value is set.
func (c commandLine) has(flag string) bool { return slices.Contains(c.flags, flag) }

// value returns the value of a flag, written as "-flag value" or "-flag=value"; "" if it is not set.
func (c commandLine) value(flag string) string {
	for i, arg := range c.flags {
		if arg == flag && i+1 < len(c.flags) {
			return c.flags[i+1]
		}
		if value, ok := strings.CutPrefix(arg, flag+"="); ok {
			return value
		}
	}
	return ""
}

// set changes the value of a flag, or adds the flag.
func (c *commandLine) set(flag, value string) {
	for i, arg := range c.flags {
		if arg == flag && i+1 < len(c.flags) {
			c.flags[i+1] = value
			return
		}
		if strings.HasPrefix(arg, flag+"=") {
			c.flags[i] = flag + "=" + value
			return
		}
	}
	c.flags = append(c.flags, flag, value)
}
