// SPDX-License-Identifier: MPL-2.0

package scoreboard_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/hmdsefi/faultline/conformance/scoreboard"
)

// Example searches one kernel under two strategies.
func Example() {
	ctx := context.Background()
	goroot, err := scoreboard.GOROOT(ctx)
	if err != nil {
		log.Fatal(err)
	}
	kernels, err := scoreboard.Kernels(goroot)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "scoreboard-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	exact, plain, err := scoreboard.Build(ctx, goroot, dir, "")
	if err != nil {
		log.Fatal(err)
	}
	search := scoreboard.Search{
		Binary: exact, Plain: plain, Seeds: 100, Runs: 50, Timeout: time.Minute, Patience: 10 * time.Second,
	}
	board := scoreboard.Board{Strategies: []string{"random", "pct"}, Seeds: search.Seeds, Runs: search.Runs}
	for row := range search.Rows(ctx, kernels[:1], board.Strategies, 1) {
		fmt.Println(board.Line(row))
	}
}
