// SPDX-License-Identifier: MPL-2.0

// Exactness prints a table: for each ingredient program, how many different things its processes saw with one seed, at the worst of some seeds.
//
//	go run ./conformance/cmd/exactness -runs 1000
//	go run ./conformance/cmd/exactness -runs 1000 -alone
//	go run ./conformance/cmd/exactness -runs 300 -hogs 4
//	go run ./conformance/cmd/exactness -runs 200 -race
//	go run ./conformance/cmd/exactness -runs 60 -plain
//
// It exits with status 1 if a program that the wrapper built was not exact.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"

	"github.com/hmdsefi/faultline/conformance/exactness"
	"github.com/hmdsefi/faultline/conformance/ingredients"
)

// settings are the flags.
type settings struct {
	build exactness.Build
	runs  int
	hogs  int
	seed  uint64
	seeds uint64
	alone bool
	only  *regexp.Regexp
}

func main() {
	s, err := parse(os.Args[1:])
	if err != nil {
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exact, err := s.table(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "exactness:", err)
	}
	if err != nil || !exact && !s.build.Plain {
		os.Exit(1)
	}
}

func parse(args []string) (settings, error) {
	s := settings{build: exactness.Build{Package: exactness.Ingredients}, only: regexp.MustCompile("")}
	flags := flag.NewFlagSet("exactness", flag.ContinueOnError)
	flags.IntVar(&s.runs, "runs", 100, "processes for each program")
	flags.IntVar(&s.hogs, "hogs", 0, "busy `threads` beside the processes, which then also run with GOGC=20")
	flags.BoolVar(&s.build.Race, "race", false, "build with the race detector")
	flags.BoolVar(&s.build.Plain, "plain", false, "build without the wrapper, to compare; leaves out what a plain bubble cannot run")
	flags.Uint64Var(&s.seed, "seed", 1, "first `seed`")
	flags.Uint64Var(&s.seeds, "seeds", 10, "`number` of seeds that the processes are shared among, since each has other rates at which it explores")
	flags.BoolVar(&s.alone, "alone", false, "run one program in each process instead of all of them one after the other")
	flags.Func("only", "run only the programs whose name matches this `regexp`", func(text string) (err error) {
		s.only, err = regexp.Compile(text)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.runs < 1 || s.seeds < 1 || s.seeds > uint64(s.runs) {
		err := fmt.Errorf("-runs %d -seeds %d: at least one seed, and at least one process for each", s.runs, s.seeds)
		fmt.Fprintln(os.Stderr, "exactness:", err)
		return s, err
	}
	return s, nil
}

// table measures and prints; it reports whether every program was exact.
func (s settings) table(ctx context.Context) (bool, error) {
	dir, err := os.MkdirTemp("", "faultline-exactness-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	binary, err := s.build.Make(ctx, dir)
	if err != nil {
		return false, err
	}
	for range s.hogs {
		go hog(ctx)
	}
	fmt.Printf("%-34s %9s %9s %9s %9s\n", "program", "processes", "distinct", "not exact", "failed")
	exact := true
	for group := range slices.Chunk(s.programs(), s.groupSize()) {
		results := s.measure(ctx, binary, group)
		for _, name := range group {
			r := results[name]
			fmt.Printf("%-34s %9d %9d %9d %9d\n", name, r.Processes, r.Distinct(), r.Inexact, r.Failed)
			if r.Error != nil {
				fmt.Fprintln(os.Stderr, r.Error)
			}
			exact = exact && r.Distinct() == 1 && r.Inexact == 0 && r.Failed == 0
		}
	}
	return exact, ctx.Err()
}

// programs names those that are measured.
func (s settings) programs() []string {
	var names []string
	for _, in := range ingredients.All() {
		if s.only.MatchString(in.Name) && !(s.build.Plain && in.NeedsSeam) {
			names = append(names, in.Name)
		}
	}
	return names
}

// groupSize is how many programs a process runs.
func (s settings) groupSize() int {
	if s.alone {
		return 1
	}
	return max(1, len(s.programs()))
}

// measure runs the processes of some programs with one seed after the other. What it returns is the worst of any seed.
func (s settings) measure(ctx context.Context, binary string, group []string) exactness.Results {
	sample := s.sample(binary, group)
	worst := exactness.Results{}
	for i := range s.seeds {
		sample.Seed = s.seed + i
		worst = worst.Join(sample.Measure(ctx))
	}
	return worst
}

func (s settings) sample(binary string, group []string) exactness.Sample {
	perSeed := max(1, (s.runs+int(s.seeds)-1)/int(s.seeds))
	sample := exactness.Sample{Binary: binary, Ingredients: group, Runs: perSeed, Parallel: runtime.NumCPU()}
	if s.hogs > 0 {
		sample.Env = []string{"GOGC=20"}
	}
	return sample
}

// hog keeps a processor busy.
func hog(ctx context.Context) {
	for ctx.Err() == nil {
	}
}
