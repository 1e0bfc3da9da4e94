// SPDX-License-Identifier: MPL-2.0

// Starts runs seeds of a test in two fresh processes each, once more within a list and once within a list of isolated seeds, and counts
// those that did not give the same run everywhere.
//
//	go run ./conformance/cmd/starts -package ./examples/kv -test '^TestKV$' -seeds 200
//
// It exits with status 1 if any differed or was not exact.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/hmdsefi/faultline/conformance/exactness"
)

func main() {
	pkg := flag.String("package", "./examples/kv", "`package` of the test")
	test := flag.String("test", "^TestKV$", "`pattern` that names the test, as for go test -run")
	seeds := flag.Int("seeds", 20, "number of seeds")
	race := flag.Bool("race", false, "build with the race detector")
	wrapper := flag.String("wrapper", "", "`path` of the wrapper; empty means to build one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, exactness.Build{Package: *pkg, Race: *race, Wrapper: *wrapper}, exactness.Starts{Test: *test, Seeds: *seeds}); err != nil {
		fmt.Fprintln(os.Stderr, "starts:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, build exactness.Build, starts exactness.Starts) error {
	temp, err := os.MkdirTemp("", "faultline-starts-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if starts.Binary, err = build.Make(ctx, temp); err != nil {
		return err
	}
	if starts.Dir, err = build.Dir(ctx); err != nil {
		return err
	}
	begin := time.Now()
	o, err := starts.Compare(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%d seeds of %s in %s, four runs each: %d fail\n", starts.Seeds, starts.Test, build.Package, o.Fails)
	fmt.Printf("two fresh processes differ in %d, a fresh process and the list in %d, a fresh process and the isolated list in %d; %d not exact; %.0f s\n",
		o.FreshDiffer, o.ListDiffers, o.Isolated, o.NotExact, time.Since(begin).Seconds())
	if o.FreshDiffer+o.ListDiffers+o.Isolated+o.NotExact > 0 {
		return errors.New("not exact")
	}
	return nil
}
