// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

const (
	module  = "github.com/hmdsefi/faultline"
	service = module + "/examples/kv"
	buggy   = "TestKVSkipSyncDir"
	mended  = "TestKV"

	manySeeds = 100
)

// tour is what the steps know and find out.
type tour struct {
	out  io.Writer
	root string // of the repository
	dir  string // for everything that the tour writes

	failure result // of the seed that finds the bug
	command string // that replays it
}

func (t *tour) wrapper() string {
	name := "faultline-toolexec"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(t.dir, "bin", name)
}

func (t *tour) artifacts() string { return filepath.Join(t.dir, "artifacts") }

func (t *tour) buildWrapper(ctx context.Context) error {
	return t.succeed(ctx, "go", "build", "-o", t.wrapper(), module+"/cmd/faultline-toolexec")
}

func (t *tour) prepare(ctx context.Context) error {
	out, err := t.exec(ctx, nil, t.wrapper(), "prepare")
	if err != nil {
		return unexpected(err, out)
	}
	t.quote(out)
	return nil
}

// find runs the buggy test until a seed fails.
func (t *tour) find(ctx context.Context) error {
	results, out, err := t.test(ctx, "find", buggy)
	if err == nil {
		return fmt.Errorf("no seed of %d found the bug", len(results))
	}
	i := firstFailure(results)
	if i < 0 {
		return unexpected(err, out)
	}
	t.failure = results[i]
	t.quote(failureBlock(out))
	if t.command = replayCommand(out); t.command == "" {
		return unexpected(errors.New("the output has no replay line"), out)
	}
	if level := t.failure.Level; level != "exact" {
		return fmt.Errorf("the run was %q, not exact", level)
	}
	fmt.Fprintf(t.out, "      seed %s is number %d of the list; trace hash %s\n", t.failure.Seed, i+1, t.failure.TraceHash)
	return nil
}

// replay runs the printed command twice and compares each run with the first.
func (t *tour) replay(ctx context.Context) error {
	for n := range 2 {
		results, out, err := t.record(ctx, fmt.Sprintf("replay-%d", n+1), nil, "sh", "-c", t.command)
		if err == nil {
			return errors.New("the replay did not fail")
		}
		if len(results) != 1 {
			return unexpected(err, out)
		}
		if err := sameRun(t.failure, results[0]); err != nil {
			return err
		}
		r := results[0]
		fmt.Fprintf(t.out, "      run %d: trace hash %s, %s at %s, event %d: the same\n", n+1, r.TraceHash, r.Signature, r.At, r.Events)
	}
	return nil
}

func (t *tour) mendedSameSeed(ctx context.Context) error {
	return t.pass(ctx, "same-seed", 1, "FAULTLINE_SEED="+t.failure.Seed)
}

func (t *tour) mendedManySeeds(ctx context.Context) error {
	return t.pass(ctx, "many-seeds", manySeeds, fmt.Sprint("FAULTLINE_SEEDS=", manySeeds))
}

// pass runs the mended service and requires that each of n seeds passes, exactly.
func (t *tour) pass(ctx context.Context, label string, n int, seeds string) error {
	results, out, err := t.test(ctx, label, mended, seeds)
	if err != nil {
		return unexpected(err, out)
	}
	if len(results) != n {
		return fmt.Errorf("%d seeds ran, not %d", len(results), n)
	}
	for _, r := range results {
		if r.Status != "pass" || r.Level != "exact" {
			return fmt.Errorf("seed %s: status %s, determinism %s", r.Seed, r.Status, r.Level)
		}
	}
	fmt.Fprintf(t.out, "      %d of %d seeds pass\n", n, n)
	return nil
}

// explain shows the last crash before the failure: the names that it took from the disk, as the trace records them.
func (t *tour) explain(context.Context) error {
	timeline, err := os.ReadFile(filepath.Join(t.failure.Artifact, "timeline.txt"))
	if err != nil {
		return err
	}
	lastCrash := max(0, bytes.LastIndex(timeline, []byte("fault.crash")))
	lost := lostEntry.FindAll(timeline[lastCrash:], -1)
	if len(lost) == 0 {
		return errors.New("the timeline shows no crash that took a file's name")
	}
	for _, record := range lost {
		fmt.Fprintf(t.out, "      | %s\n", record)
	}
	fmt.Fprintln(t.out, "      The service had synced the content of these files, but not the directory that names them.")
	return nil
}

// lostEntry is a record of the timeline about a file whose name a crash took.
var lostEntry = regexp.MustCompile(`(?m)^\*.* dropped the directory entry .*$`)

// test runs one test of the service through the wrapper. -count=1 keeps go test from answering out of its cache.
func (t *tour) test(ctx context.Context, label, name string, env ...string) ([]result, string, error) {
	return t.record(ctx, label, env, t.wrapper(), "test", "-count=1", "-run", "^"+name+"$", service)
}

// record runs a command whose tests write their results lines, and returns these and its output.
func (t *tour) record(ctx context.Context, label string, env []string, name string, args ...string) ([]result, string, error) {
	file := filepath.Join(t.dir, label+".jsonl")
	out, runErr := t.exec(ctx, append(env, "FAULTLINE_RESULTS="+file), name, args...)
	results, err := readResults(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, out, err
	}
	return results, out, runErr
}

var (
	replayLine = regexp.MustCompile(`(?m)^\s*replay:\s+(.+)$`)
	seedBlock  = regexp.MustCompile(`(?m)^ *--- FAIL: \S+/seed=(?s:.*?)artifacts:.*\n`)
)

func replayCommand(out string) string {
	if m := replayLine.FindStringSubmatch(out); m != nil {
		return strings.TrimSpace(m[1])
	}
	return ""
}

// failureBlock is what go test printed about the failing seed.
func failureBlock(out string) string { return seedBlock.FindString(out) }
