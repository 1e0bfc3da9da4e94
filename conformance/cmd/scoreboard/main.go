// SPDX-License-Identifier: MPL-2.0

// Scoreboard searches for real concurrency bugs: the goroutine-leak kernels that ship with the Go toolchain in use. For each it
// prints the first failing seed under each strategy, whether a fresh process replays it, and how often plain Go hits the bug.
//
//	go run ./conformance/cmd/scoreboard
//	go run ./conformance/cmd/scoreboard -seeds 100 -kernel '^Etcd' -strategy pct -plain 0
//	go run ./conformance/cmd/scoreboard -json > board.json
//
// It exits with status 1 if a kernel was not found, a found seed was not replayed, or something could not run.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/conformance/scoreboard"
	"github.com/hmdsefi/faultline/sched"
)

// settings are the flags.
type settings struct {
	search     scoreboard.Search
	strategies []string
	only       *regexp.Regexp
	wrapper    string
	parallel   int
	json       bool
}

func main() {
	s, err := parse(os.Args[1:])
	if err != nil {
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := s.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "scoreboard:", err)
		os.Exit(1)
	}
}

func parse(args []string) (settings, error) {
	s := settings{strategies: []string{"random", "pct"}, only: regexp.MustCompile("")}
	flags := flag.NewFlagSet("scoreboard", flag.ContinueOnError)
	flags.IntVar(&s.search.Seeds, "seeds", 1000, "seeds to try, from 0, until one fails")
	flags.IntVar(&s.search.Runs, "plain", 1000, "`runs` of each kernel by plain Go; 0 for none")
	flags.DurationVar(&s.search.Timeout, "timeout", 5*time.Minute, "wall time for a kernel under one strategy, and for its plain runs")
	flags.DurationVar(&s.search.Patience, "patience", 30*time.Second, "wall time for a seed, after which it is a stall")
	flags.StringVar(&s.wrapper, "wrapper", "", "`path` of faultline-toolexec; built when empty")
	flags.IntVar(&s.parallel, "parallel", runtime.NumCPU(), "kernels searched at a time")
	flags.BoolVar(&s.json, "json", false, "print JSON instead of tables")
	flags.Func("kernel", "only the kernels whose name matches this `regexp`", func(text string) (err error) {
		s.only, err = regexp.Compile(text)
		return err
	})
	flags.Func("strategy", "`names` of strategies, with commas; all when not given", func(text string) error {
		s.strategies = strings.Split(text, ",")
		for _, name := range s.strategies {
			if !slices.Contains(sched.Strategies(), name) {
				return fmt.Errorf("want some of %s", strings.Join(sched.Strategies(), ","))
			}
		}
		return nil
	})
	return s, flags.Parse(args)
}

func (s settings) run(ctx context.Context) error {
	goroot, err := scoreboard.GOROOT(ctx)
	if err != nil {
		return err
	}
	toolchain, err := scoreboard.Toolchain(ctx)
	if err != nil {
		return err
	}
	kernels, err := scoreboard.Kernels(goroot)
	if err != nil {
		return err
	}
	kernels = slices.DeleteFunc(kernels, func(k scoreboard.Kernel) bool { return !s.only.MatchString(k.Name) })
	dir, err := os.MkdirTemp("", "faultline-scoreboard-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if s.search.Binary, s.search.Plain, err = scoreboard.Build(ctx, goroot, dir, s.wrapper); err != nil {
		return err
	}
	board := scoreboard.Board{Toolchain: toolchain, Strategies: s.strategies, Seeds: s.search.Seeds, Runs: s.search.Runs}
	if !s.json {
		fmt.Println(board.Header())
	}
	for row := range s.search.Rows(ctx, kernels, s.strategies, s.parallel) {
		board.Rows = append(board.Rows, row)
		if !s.json {
			fmt.Println(board.Line(row))
		}
	}
	return errors.Join(ctx.Err(), s.finish(board))
}

// finish prints what comes last.
func (s settings) finish(board scoreboard.Board) error {
	board.Sum()
	if s.json {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		return errors.Join(encoder.Encode(board), board.Err())
	}
	fmt.Print(board.Footer())
	return board.Err()
}
