// SPDX-License-Identifier: MPL-2.0

// Meaning checks that the wrapper keeps the meaning of programs: it builds the programs of the toolchain's test folder, tests of the
// standard library, and the test suites of some real modules, plainly and through the wrapper, and compares what they do.
//
//	go run ./conformance/cmd/meaning
//	go run ./conformance/cmd/meaning -part programs -match '^chan/'
//	go run ./conformance/cmd/meaning -part std,suites -match '^sync|raft'
//	go run ./conformance/cmd/meaning -json > meaning.json
//
// It exits with status 1 if something differs, or could not be compared. The suites need the module proxy once.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/conformance/meaning"
)

// parts are what can be compared, in the order in which that is done.
var parts = []struct {
	name    string
	compare func(*settings, context.Context, *meaning.Report) error
}{
	{"programs", (*settings).programs},
	{"std", (*settings).std},
	{"suites", (*settings).suites},
}

// settings are the flags.
type settings struct {
	comparison meaning.Comparison
	chosen     []string
	match      *regexp.Regexp
	batch      int
	all        bool
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
		fmt.Fprintln(os.Stderr, "meaning:", err)
		os.Exit(1)
	}
}

func parse(args []string) (*settings, error) {
	s := &settings{match: regexp.MustCompile("")}
	for _, part := range parts {
		s.chosen = append(s.chosen, part.name)
	}
	all := s.chosen
	flags := flag.NewFlagSet("meaning", flag.ContinueOnError)
	flags.StringVar(&s.comparison.Wrapper, "wrapper", "", "`path` of faultline-toolexec; built when empty")
	flags.DurationVar(&s.comparison.Patience, "patience", time.Minute, "wall time for a plain program, which is skipped if it takes longer; a wrapped one has twice as much")
	flags.IntVar(&s.comparison.Runs, "runs", 5, "`runs` of each build of what differs at first")
	flags.IntVar(&s.comparison.Parallel, "parallel", runtime.NumCPU(), "programs run at a time")
	flags.IntVar(&s.batch, "batch", 200, "programs built by one go command")
	flags.BoolVar(&s.all, "all", false, "compare all programs, not only those with channels, goroutines, loops and the like")
	flags.BoolVar(&s.json, "json", false, "print JSON instead of tables")
	flags.Func("match", "only the programs, standard packages and modules whose name matches this `regexp`", func(text string) (err error) {
		s.match, err = regexp.Compile(text)
		return err
	})
	flags.Func("part", "`parts` to compare, with commas: "+strings.Join(all, ",")+"; all when not given", func(text string) error {
		s.chosen = strings.Split(text, ",")
		for _, name := range s.chosen {
			if !slices.Contains(all, name) {
				return fmt.Errorf("want some of %s", strings.Join(all, ","))
			}
		}
		return nil
	})
	return s, flags.Parse(args)
}

func (s *settings) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "faultline-meaning-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s.comparison.Dir = dir
	if s.comparison.Wrapper, err = meaning.Wrapper(ctx, s.comparison.Wrapper, dir); err != nil {
		return err
	}
	version, err := goEnv(ctx, "GOVERSION")
	if err != nil {
		return err
	}
	report := meaning.NewReport(version + " " + runtime.GOOS + "/" + runtime.GOARCH)
	for _, part := range parts {
		if slices.Contains(s.chosen, part.name) {
			err = errors.Join(err, part.compare(s, ctx, report))
		}
	}
	return errors.Join(err, s.finish(report))
}

// finish prints what comes last.
func (s *settings) finish(report *meaning.Report) error {
	if !s.json {
		return report.Err()
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	return errors.Join(encoder.Encode(report), report.Err())
}

// printf prints text that is not JSON.
func (s *settings) printf(format string, args ...any) {
	if !s.json {
		fmt.Printf(format, args...)
	}
}

func (s *settings) programs(ctx context.Context, report *meaning.Report) error {
	goroot, err := goEnv(ctx, "GOROOT")
	if err != nil {
		return err
	}
	programs, skips, err := meaning.Programs(filepath.Join(goroot, "test"), meaning.Folders, s.all)
	if err != nil {
		return err
	}
	report.Skip(skips)
	programs = slices.DeleteFunc(programs, func(p meaning.Program) bool { return !s.match.MatchString(p.Name) })
	for batch := range slices.Chunk(programs, max(1, s.batch)) {
		results, err := s.comparison.Batch(ctx, batch)
		if err != nil {
			return err
		}
		for _, c := range results {
			report.Add(c)
			if c.Verdict == meaning.Varies || c.Verdict == meaning.Differs {
				s.printf("%-8s %s: plain %d, wrapped %d different outcomes\n", c.Verdict, c.Program, len(c.Plain), len(c.Wrapped))
			}
		}
	}
	s.tallies(report)
	return nil
}

// tallies prints the tables of the programs.
func (s *settings) tallies(report *meaning.Report) {
	const row = "%-12v %9v %9v %9v %11v %9v %9v\n"
	s.printf(row, "folder", "compared", "same", "success", "as expected", "varies", "differs")
	line := func(name string, t meaning.Tally) {
		s.printf(row, name, t.Compared, t.Same, t.Success, t.Expected, t.Varies, t.Differs)
	}
	for _, folder := range meaning.Folders {
		line(folder, report.Folders[folder])
	}
	line("all", report.Total())
	for reason, n := range report.Skipped {
		s.printf("%5d skipped: %s\n", n, reason)
	}
}

func (s *settings) std(ctx context.Context, report *meaning.Report) error {
	suite := meaning.Standard
	suite.Packages = slices.DeleteFunc(slices.Clone(suite.Packages), func(name string) bool { return !s.match.MatchString(name) })
	if len(suite.Packages) == 0 {
		return nil
	}
	return s.tests(ctx, report, suite)
}

func (s *settings) suites(ctx context.Context, report *meaning.Report) error {
	return s.tests(ctx, report, slices.DeleteFunc(slices.Clone(meaning.Suites), func(suite meaning.Suite) bool {
		return !s.match.MatchString(suite.Name())
	})...)
}

func (s *settings) tests(ctx context.Context, report *meaning.Report, suites ...meaning.Suite) error {
	const row = "%-42v %8v %6v %22v %22v\n"
	s.printf(row, "suite", "packages", "tests", "plain pass/fail/skip", "wrapped pass/fail/skip")
	counts := func(c meaning.Counts) string { return fmt.Sprintf("%d/%d/%d", c.Pass, c.Fail, c.Skip) }
	var failed []error
	for _, suite := range suites {
		r, err := s.comparison.Suite(ctx, suite)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		report.Suites = append(report.Suites, r)
		s.printf(row, r.Suite, r.Packages, r.Tests, counts(r.Plain), counts(r.Wrapped))
		for _, d := range r.Differences {
			s.printf("    %-8s %s %s: plain %s, wrapped %s\n", d.Verdict, d.Package, d.Name, counts(d.Plain), counts(d.Wrapped))
		}
	}
	return errors.Join(failed...)
}

func goEnv(ctx context.Context, name string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", name).Output()
	if err != nil {
		return "", fmt.Errorf("go env %s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}
