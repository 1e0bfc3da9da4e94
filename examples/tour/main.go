// SPDX-License-Identifier: MPL-2.0

// Tour shows faultline at work on the key-value service of examples/kv: it finds a crash bug, replays it exactly in
// fresh processes, and shows that the mended service passes. Run it in a clone of the repository:
//
//	go run ./examples/tour
//
// It needs Go and nothing else. It writes to a temporary directory and to the caches of Go and of faultline. It exits
// with status 0 only if all that it shows was true.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, &tour{out: os.Stdout}); err != nil {
		fmt.Fprintln(os.Stderr, "tour:", err)
		os.Exit(1)
	}
}

// step is one stop of the tour.
type step struct {
	title string
	do    func(*tour, context.Context) error
}

var steps = []step{
	{"Build the wrapper, which makes goroutines deterministic", (*tour).buildWrapper},
	{"Prepare the Go toolchain (once; later runs take it from the cache)", (*tour).prepare},
	{"Look for the bug: the service does not sync its directory", (*tour).find},
	{"Replay that seed with the printed command, twice, each time in a fresh process", (*tour).replay},
	{"Read in the timeline what happened", (*tour).explain},
	{"Run the mended service with the same seed", (*tour).mendedSameSeed},
	{"Run the mended service with 100 seeds", (*tour).mendedManySeeds},
}

// run goes through all steps and stops at the first that does not hold.
func run(ctx context.Context, t *tour) error {
	dir, err := os.MkdirTemp("", "faultline-tour-")
	if err != nil {
		return err
	}
	t.dir = dir
	if t.root, err = repository(ctx); err != nil {
		return err
	}
	for i, s := range steps {
		fmt.Fprintf(t.out, "\n[%d/%d] %s\n", i+1, len(steps), s.title)
		start := time.Now()
		if err := s.do(t, ctx); err != nil {
			return fmt.Errorf("step %d, %q: %w", i+1, s.title, err)
		}
		fmt.Fprintf(t.out, "      %.1f s\n", time.Since(start).Seconds())
	}
	fmt.Fprintf(t.out, "\nAll of it held. The failing seed's report, timeline and trace stay in\n  %s\n", t.failure.Artifact)
	return nil
}
