// SPDX-License-Identifier: MPL-2.0

// Command faultline-toolexec builds Go programs whose goroutine schedule, map order and random values come from
// a seed, so that a test of package faultline replays exactly.
//
//	faultline-toolexec prepare [-explain]
//	faultline-toolexec test [go test arguments]
//	faultline-toolexec gaps [-json] [-reachable] [-fail] [-tags list] [packages]
//	faultline-toolexec version
//	go test -toolexec=faultline-toolexec ./...
//
// The last form is what the go command makes of it: it runs `faultline-toolexec TOOL ARGS...` for each tool of the
// build. It needs a toolchain that prepare has been run for; test prepares it by itself when necessary.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

const usage = `usage:
	faultline-toolexec prepare [-explain]         make the Go toolchain in use ready, once; -explain lists the rules only
	faultline-toolexec test [go test arguments]   go test through the wrapper, preparing the toolchain if necessary
	faultline-toolexec gaps [flags] [packages]    list what no seed can decide in packages and their tests (./... by default):
	                                              -json, -reachable by processes only, -fail with exit code 1 if any is open, -tags
	faultline-toolexec version                    print the version
	go test -toolexec=faultline-toolexec ...      use the wrapper in any go command that builds
`

// errUsage is the error of a command line that means nothing.
var errUsage = errors.New("usage")

// commands are the subcommands. Each returns the exit code of the process, or an error.
var commands = map[string]func(ctx context.Context, args []string) (int, error){
	"gaps":    runGaps,
	"prepare": runPrepare,
	"test":    runTest,
	"version": runVersion,
}

func main() {
	code, err := run(os.Args[1:])
	if errors.Is(err, errUsage) {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "faultline-toolexec: %v\n", err)
		os.Exit(1)
	}
	os.Exit(code)
}

func run(args []string) (int, error) {
	if len(args) == 0 {
		return 0, errUsage
	}
	if command, ok := commands[args[0]]; ok {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		return command(ctx, args[1:])
	}
	if !isProgram(args[0]) {
		return 0, errUsage
	}
	return wrapper().Run(args[0], args[1:])
}

// isProgram reports whether an argument can be what the go command runs: a path, or a program found in PATH.
func isProgram(arg string) bool {
	if strings.HasPrefix(arg, "-") {
		return false
	}
	if strings.ContainsAny(arg, `/\`) {
		return true
	}
	_, err := exec.LookPath(arg)
	return err == nil
}
