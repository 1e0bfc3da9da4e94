// SPDX-License-Identifier: MPL-2.0

package meaning

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// Test names a test, or a package as a whole where Name is empty.
type Test struct {
	Package string `json:"package"`
	Name    string `json:"test,omitempty"`
}

// top is the test of which this one is a subtest.
func (t Test) top() string {
	top, _, _ := strings.Cut(t.Name, "/")
	return top
}

// Results are how often each test passed, failed, and was skipped.
type Results map[Test]Counts

// Counts is how often a test came to each end. A test that came to none is not counted.
type Counts struct {
	Pass int `json:"pass,omitempty"`
	Fail int `json:"fail,omitempty"`
	Skip int `json:"skip,omitempty"`
}

// agree reports whether the results of two builds have an end in common.
func (c Counts) agree(other Counts) bool {
	return c == other || c.Pass > 0 && other.Pass > 0 || c.Fail > 0 && other.Fail > 0 || c.Skip > 0 && other.Skip > 0
}

// address is one of the heap, or of a stack: no two runs have it in common, though some tests carry it in their names.
var address = regexp.MustCompile(`0x[0-9a-f]{9,}`)

// read reads what `go test -json` prints.
func read(r io.Reader) (Results, error) {
	results := Results{}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		var event struct{ Action, Package, Test string }
		if json.Unmarshal(line, &event) == nil {
			results.count(Test{Package: event.Package, Name: address.ReplaceAllString(event.Test, "0x?")}, event.Action)
		}
		if err == io.EOF {
			return results, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (r Results) count(t Test, action string) {
	c := r[t]
	switch action {
	case "pass":
		c.Pass++
	case "fail":
		c.Fail++
	case "skip":
		c.Skip++
	default:
		return
	}
	r[t] = c
}

// test runs go test in a folder. Tests that fail are no error.
func (b Build) test(ctx context.Context, dir string, args ...string) (Results, error) {
	var stderr bytes.Buffer
	cmd := b.command(ctx, dir, "test", append([]string{"-json", "-vet=off", "-p=1", "-timeout=30m"}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	results, err := read(bytes.NewReader(out))
	if err == nil && len(results) == 0 {
		err = fmt.Errorf("%s: no results\n%s", cmd, stderr.String())
	}
	return results, errors.Join(err, ctx.Err())
}

// TestDifference is a test whose two builds came to different ends, with the ends of more runs.
type TestDifference struct {
	Test
	Verdict Verdict `json:"verdict"` // Varies or Differs
	Plain   Counts  `json:"plain"`
	Wrapped Counts  `json:"wrapped"`
}

// SuiteResult is what the tests of a suite came to.
type SuiteResult struct {
	Suite       string           `json:"suite"`
	Packages    int              `json:"packages"`
	Tests       int              `json:"tests"` // with subtests; those of the plain build
	Plain       Counts           `json:"plain"`
	Wrapped     Counts           `json:"wrapped"`
	Differences []TestDifference `json:"differences,omitempty"`
}

// Suite compares the tests of a suite.
func (c Comparison) Suite(ctx context.Context, s Suite) (SuiteResult, error) {
	dir, err := s.write(ctx, c.Dir)
	if err != nil {
		return SuiteResult{}, err
	}
	defer os.RemoveAll(dir)
	return c.tests(ctx, dir, s)
}

// tests compares the tests of a suite whose module is in a folder.
func (c Comparison) tests(ctx context.Context, dir string, s Suite) (r SuiteResult, err error) {
	var results [2]Results
	for i, build := range Builds(c.Wrapper) {
		if results[i], err = build.test(ctx, dir, slices.Concat(s.Args, s.Packages)...); err != nil {
			return SuiteResult{}, fmt.Errorf("%s, %s: %w", s.Name(), build, err)
		}
	}
	r.Suite = s.Name()
	r.sum(results)
	r.Differences, err = c.again(ctx, dir, s, results)
	return r, err
}

// sum counts.
func (r *SuiteResult) sum(results [2]Results) {
	for i, total := range []*Counts{&r.Plain, &r.Wrapped} {
		for test, c := range results[i] {
			if test.Name == "" {
				continue
			}
			total.Pass += c.Pass
			total.Fail += c.Fail
			total.Skip += c.Skip
		}
	}
	for test := range results[0] {
		if test.Name == "" {
			r.Packages++
		} else {
			r.Tests++
		}
	}
}

// again runs the tests that differ some more times. A package fails with its tests: it counts by itself only if no test of it differs.
func (c Comparison) again(ctx context.Context, dir string, s Suite, results [2]Results) ([]TestDifference, error) {
	differ := differing(results)
	groups := map[Test]bool{}
	for _, t := range differ {
		groups[Test{Package: t.Package, Name: t.top()}] = true
	}
	for group := range groups {
		if group.Name == "" && slices.ContainsFunc(differ, func(t Test) bool { return t.Package == group.Package && t.Name != "" }) {
			continue
		}
		for i, build := range Builds(c.Wrapper) {
			args := append(slices.Clone(s.Args), fmt.Sprint("-count=", c.Runs))
			if group.Name != "" {
				args = append(args, "-run=^"+group.Name+"$")
			}
			more, err := build.test(ctx, dir, append(args, group.Package)...)
			if err != nil {
				return nil, err
			}
			results[i].add(more, group)
		}
	}
	return differences(differ, results), nil
}

// differing lists the tests whose ends are not the same.
func differing(results [2]Results) []Test {
	all := maps.Clone(results[0])
	maps.Copy(all, results[1])
	tests := slices.SortedFunc(maps.Keys(all), func(a, b Test) int {
		return strings.Compare(a.Package+" "+a.Name, b.Package+" "+b.Name)
	})
	return slices.DeleteFunc(tests, func(t Test) bool { return results[0][t] == results[1][t] })
}

// add adds the results of a group: a test and its subtests, or a package.
func (r Results) add(more Results, group Test) {
	for t, c := range more {
		if t.top() != group.Name {
			continue
		}
		sum := r[t]
		r[t] = Counts{Pass: sum.Pass + c.Pass, Fail: sum.Fail + c.Fail, Skip: sum.Skip + c.Skip}
	}
}

// differences says of each test what more runs have shown.
func differences(tests []Test, results [2]Results) []TestDifference {
	var list []TestDifference
	failing := map[string]bool{}
	for _, t := range slices.Backward(tests) {
		if t.Name == "" && failing[t.Package] {
			continue
		}
		failing[t.Package] = true
		d := TestDifference{Test: t, Verdict: Differs, Plain: results[0][t], Wrapped: results[1][t]}
		if d.Plain.agree(d.Wrapped) {
			d.Verdict = Varies
		}
		list = append(list, d)
	}
	slices.Reverse(list)
	return list
}
