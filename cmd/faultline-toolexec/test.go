// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/cmd/faultline-toolexec/internal/toolexec"
	"github.com/hmdsefi/faultline/prepare"
)

// flagVariable tells the tests that run how they were built, so that the replay command of a failing seed works also where
// the wrapper is not installed.
const flagVariable = "FAULTLINE_TOOLEXEC_FLAG"

// runTest runs go test through the wrapper. The toolchain is prepared first if it has to be; only then does the
// command itself write anything, to the standard error.
func runTest(ctx context.Context, args []string) (int, error) {
	if setsToolexec(args) {
		return 0, errors.New("test sets -toolexec itself; leave it out")
	}
	directory, rest := splitDirectory(args)
	job, tc, err := newJob(ctx, directoryOf(directory))
	if err != nil {
		return 0, err
	}
	job.Started = func(tc prepare.Toolchain) {
		fmt.Fprintf(os.Stderr, "faultline-toolexec: preparing %s, which is needed once per toolchain\n", tc.Version)
	}
	if _, _, err := job.Prepare(ctx, tc); err != nil {
		return 0, err
	}
	flag, err := prepare.ToolexecFlag(job.Wrapper)
	if err != nil {
		return 0, err
	}
	if err := os.Setenv(flagVariable, flag); err != nil {
		return 0, err
	}
	return toolexec.Execute("go", slices.Concat([]string{"test"}, directory, []string{flag}, rest))
}

// splitDirectory cuts the flag -C off, which must be a go command's first.
func splitDirectory(args []string) (directory, rest []string) {
	if len(args) == 0 {
		return nil, nil
	}
	switch name, _, hasValue := strings.Cut(args[0], "="); {
	case name != "-C" && name != "--C":
		return nil, args
	case hasValue || len(args) == 1:
		return args[:1], args[1:]
	}
	return args[:2], args[2:]
}

// directoryOf is the value of the flag -C, "." without one.
func directoryOf(flag []string) string {
	if len(flag) == 0 {
		return "."
	}
	if _, value, ok := strings.Cut(flag[0], "="); ok || len(flag) == 1 {
		return value
	}
	return flag[1]
}

// setsToolexec reports whether the arguments set the flag that test itself sets. What follows -args belongs to
// the test binary.
func setsToolexec(args []string) bool {
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.Replace(arg, "--", "-", 1), "=")
		switch name {
		case "-args":
			return false
		case "-toolexec":
			return true
		}
	}
	return false
}
