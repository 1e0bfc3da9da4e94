// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"fmt"
	goversion "go/version"
	"os"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/hmdsefi/faultline/cmd/faultline-toolexec/internal/toolexec"
	"github.com/hmdsefi/faultline/prepare"
)

// runPrepare makes the toolchain in use ready, or lists what the seam would change in it.
func runPrepare(ctx context.Context, args []string) (int, error) {
	switch {
	case len(args) == 1 && (args[0] == "-explain" || args[0] == "--explain"):
		return 0, explainRules(ctx)
	case len(args) > 0:
		return 0, errUsage
	}
	job, tc, err := newJob(ctx, ".")
	if err != nil {
		return 0, err
	}
	e, took, err := job.Prepare(ctx, tc)
	if err != nil {
		return 0, err
	}
	what := fmt.Sprintf("%s (%d rules, %d files)", tc.Version, len(e.Rules()), e.Files())
	if took == 0 {
		_, err = fmt.Printf("already prepared %s: %s\n", what, e.Dir)
	} else {
		_, err = fmt.Printf("prepared %s in %s: %s\n", what, took.Round(time.Second), e.Dir)
	}
	return 0, err
}

// newJob is the work of preparing the toolchain that the go command uses in dir.
func newJob(ctx context.Context, dir string) (prepare.Job, prepare.Toolchain, error) {
	tc, err := prepare.FindToolchain(ctx, dir)
	if err != nil {
		return prepare.Job{}, tc, err
	}
	if err := toolexec.CheckSettings(ctx, tc.Goroot, dir); err != nil {
		return prepare.Job{}, tc, err
	}
	c, err := cache()
	if err != nil {
		return prepare.Job{}, tc, err
	}
	self, err := os.Executable()
	return prepare.Job{
		Cache:    c,
		Wrapper:  self,
		Dir:      dir,
		Apply:    func(goroot string) (*prepare.Patch, error) { return applyHere(goroot, tc.Version) },
		SelfTest: selfTest(),
		Started:  func(prepare.Toolchain) {},
	}, tc, err
}

// applyHere applies the seam for this wrapper to use. That a toolchain is not known at all is said first.
func applyHere(goroot, version string) (*prepare.Patch, error) {
	patch, err := applySeam(goroot)
	if err != nil {
		return nil, err
	}
	return patch, checkRelease(runtime.Version(), version)
}

// checkRelease refuses a toolchain of a newer release than the one that built the wrapper: its compiler writes export data that the
// wrapper, which type-checks packages before it rewrites them, cannot read.
func checkRelease(builtWith, toolchain string) error {
	if goversion.Compare(goversion.Lang(toolchain), goversion.Lang(builtWith)) <= 0 {
		return nil
	}
	return fmt.Errorf("this wrapper was built with %s and cannot read what %s compiles; build it with that toolchain: GOTOOLCHAIN=%s go install %s",
		builtWith, toolchain, toolchain, modulePath)
}

// explainRules lists the rules of the seam with the files and the number of places that they change.
func explainRules(ctx context.Context) error {
	tc, err := prepare.FindToolchain(ctx, ".")
	if err != nil {
		return err
	}
	patch, err := applySeam(tc.Goroot)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "count\tfile\trule of %s\n", tc.Version)
	for _, r := range patch.Rules {
		fmt.Fprintf(w, "%d\t%s\t%s\n", r.Count, r.File, r.Name)
	}
	return w.Flush()
}
