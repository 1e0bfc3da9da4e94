// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/internal/rerun"
	"github.com/hmdsefi/faultline/sched"
)

// origin is what the running test binary knows about how it was built.
type origin struct {
	pkg     string   // import path of the package under test
	flags   []string // go test flags that a replay needs
	wrapped bool     // built through faultline-toolexec
	args    []string // the test's own
}

// buildFlags are the build settings that are part of a replay command.
var buildFlags = []string{"-race", "-msan", "-asan", "-tags"}

// readOrigin reads the build information of the binary: its path is the import path
// of the package under test and ".test", also for an external test package.
func readOrigin() origin {
	o := origin{pkg: "unknown", wrapped: sched.Available(), args: rerun.TestArgs()}
	if o.wrapped {
		o.flags = append(o.flags, toolexecFlag(exec.LookPath, os.Getenv))
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return o
	}
	if info.Path != "" {
		o.pkg = strings.TrimSuffix(info.Path, ".test")
	}
	for _, name := range buildFlags {
		for _, s := range info.Settings {
			if s.Key == name {
				o.flags = append(o.flags, buildFlag(s))
			}
		}
	}
	return o
}

// wrapper is the name of the command through which exact runs are built.
const wrapper = "faultline-toolexec"

// envFlag is set by faultline-toolexec test to the flag that it gave the go command.
const envFlag = "FAULTLINE_TOOLEXEC_FLAG"

// toolexecFlag names the wrapper as a user types it if it is installed, else the one that
// this binary was built with.
func toolexecFlag(look func(string) (string, error), getenv func(string) string) string {
	_, err := look(wrapper)
	if flag := getenv(envFlag); err != nil && flag != "" {
		return shellQuote(flag)
	}
	return "-toolexec=" + wrapper
}

func buildFlag(s debug.BuildSetting) string {
	if s.Value == "true" {
		return s.Key
	}
	return shellQuote(s.Key + "=" + s.Value)
}

// dependedOn are the variables that change a run and are not its seed.
var dependedOn = []string{envSchedule, envDecisions, "FAULTLINE_TOOLEXEC_STD", "FAULTLINE_TOOLEXEC_DEPS"}

// replayCommand returns a shell command that runs the test again with the given
// assignments of variables, "NAME=value", in front.
func (o origin) replayCommand(test string, assignments ...string) string {
	return o.command("go test", test, assignments)
}

// exactCommand returns a shell command that runs the test exactly.
func (o origin) exactCommand(test string) string {
	return o.command("go tool "+wrapper+" test", test, nil)
}

func (o origin) command(goTest, test string, assignments []string) string {
	words := assignments
	for _, name := range dependedOn {
		if value := os.Getenv(name); value != "" {
			words = append(words, name+"="+shellQuote(portable(name, value)))
		}
	}
	words = append(words, goTest, "-v")
	words = append(words, o.flags...)
	if testing.Short() {
		words = append(words, "-short")
	}
	words = append(words, "-run", shellQuote(runPattern(test)), o.pkg)
	if len(o.args) > 0 {
		words = append(words, "-args")
	}
	for _, arg := range o.args {
		words = append(words, shellQuote(arg))
	}
	return strings.Join(words, " ")
}

// portable makes the path of a file absolute, since the command may be pasted
// anywhere.
func portable(name, value string) string {
	if value == "" || name != envSchedule && name != envDecisions {
		return value
	}
	if abs, err := filepath.Abs(value); err == nil {
		return abs
	}
	return value
}

// runPattern is the -run pattern that matches exactly one test or subtest.
func runPattern(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

var shellSafe = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellQuote quotes a word for a POSIX shell if it needs it.
func shellQuote(word string) string {
	if shellSafe.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
