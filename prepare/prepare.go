// SPDX-License-Identifier: MPL-2.0

// Package prepare makes a Go toolchain ready for exact runs, once per toolchain and wrapper: it keeps the
// patched sources of the standard library in a cache entry, builds the standard library with them and proves
// with a self-test that runs repeat. An entry exists only when all of that succeeded.
//
// It must not know how sources are patched (the caller passes that in), nor what a compile command looks like.
package prepare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// EntryVariable is the environment variable that names an entry in the making. The wrapper uses that entry, and
// no other, while Prepare builds and proves it.
const EntryVariable = "FAULTLINE_TOOLEXEC_ENTRY"

// Patch is what the seam makes of the standard library of one toolchain.
type Patch struct {
	Files map[string][]byte // new content by slash-separated path below GOROOT/src
	Added map[string]bool   // the paths of Files that the toolchain itself does not have
	Rules []Rule            // what was applied, in the order of application
}

// Rule is one rule of the seam, and how often it applied to one file.
type Rule struct {
	Name  string `json:"name"`
	File  string `json:"file"`
	Count int    `json:"count"`
}

// Job says what to prepare a toolchain with. All fields are required.
type Job struct {
	Cache    Cache
	Wrapper  string                              // path of the program that becomes go build's -toolexec
	Dir      string                              // directory in which the standard library is built
	Apply    func(goroot string) (*Patch, error) // patches the sources of a toolchain
	SelfTest map[string][]byte                   // a module whose root package's tests prove exactness, see SelfTestVariable
	Started  func(tc Toolchain)                  // called when there is work to do, before it begins
}

// Prepare returns the entry of the toolchain, and how long it took to make it: 0 if it was there already. An
// existing entry that no longer matches its manifest, or the toolchain, is made again. Any number of Prepare may
// run at once, in any number of processes; one that is killed leaves no entry behind.
func (j Job) Prepare(ctx context.Context, tc Toolchain) (*Entry, time.Duration, error) {
	e, err := j.Cache.Open(tc)
	if err == nil {
		return e, 0, nil
	}
	if !errors.Is(err, ErrNotPrepared) && !errors.Is(err, ErrDamaged) {
		return nil, 0, err
	}
	start := time.Now()
	j.Started(tc)
	patch, err := j.Apply(tc.Goroot)
	if err != nil {
		return nil, 0, err
	}
	partial, err := j.Cache.begin()
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(partial)
	if err := writeEntry(partial, tc, patch); err != nil {
		return nil, 0, fmt.Errorf("cannot write to the cache: %w", err)
	}
	if err := j.build(ctx, tc, partial); err != nil {
		return nil, 0, err
	}
	if err := j.prove(ctx, tc, partial); err != nil {
		return nil, 0, err
	}
	e, err = j.Cache.publish(partial, tc)
	return e, time.Since(start), err
}

// build compiles the standard library through the wrapper, so that the first test does not have to.
func (j Job) build(ctx context.Context, tc Toolchain, entry string) error {
	flag, err := ToolexecFlag(j.Wrapper)
	if err != nil {
		return err
	}
	cmd := tc.command(ctx, j.Dir, "build", flag, "std")
	cmd.Env = append(cmd.Env, EntryVariable+"="+entry)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the standard library of %s: %w%s", tc.Version, err, quoted(out))
	}
	return nil
}

// absolute is the file of a slash-separated path below a directory.
func absolute(dir, path string) string { return filepath.Join(dir, filepath.FromSlash(path)) }

// quoted is what a command wrote, on lines of its own behind an error.
func quoted(output []byte) string {
	if text := strings.TrimSpace(string(output)); text != "" {
		return "\n" + text
	}
	return ""
}
