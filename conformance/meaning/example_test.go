// SPDX-License-Identifier: MPL-2.0

package meaning_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"runtime"
	"time"

	"github.com/hmdsefi/faultline/conformance/meaning"
)

// Compare the programs about channels.
func ExampleComparison_Batch() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "meaning-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	wrapper, err := meaning.Wrapper(ctx, "", dir)
	if err != nil {
		log.Fatal(err)
	}
	programs, skips, err := meaning.Programs("/usr/local/go/test", []string{"chan"}, true)
	if err != nil {
		log.Fatal(err)
	}
	comparison := meaning.Comparison{Wrapper: wrapper, Dir: dir, Patience: time.Minute, Runs: 5, Parallel: 2}
	results, err := comparison.Batch(ctx, programs)
	if err != nil {
		log.Fatal(err)
	}
	report := meaning.NewReport(runtime.Version())
	report.Skip(skips)
	for _, result := range results {
		report.Add(result)
	}
	fmt.Println(report.Total(), report.Err())
}

// Compare the tests of one package of a module.
func ExampleComparison_Suite() {
	ctx := context.Background()
	wrapper, err := meaning.Wrapper(ctx, "faultline-toolexec", "")
	if err != nil {
		log.Fatal(err)
	}
	comparison := meaning.Comparison{Wrapper: wrapper, Runs: 5}
	result, err := comparison.Suite(ctx, meaning.Suite{Module: "golang.org/x/sync@v0.25.0", Packages: []string{"./errgroup"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Plain, result.Wrapped, result.Differences)
}

// What differs is an error; what varies by itself is listed only.
func ExampleReport() {
	report := meaning.NewReport("go1.26.8")
	report.Add(meaning.Compared{Program: "chan/sieve1.go", Verdict: meaning.Same, Success: true})
	report.Add(meaning.Compared{Program: "chan/select3.go", Verdict: meaning.Varies})
	report.Add(meaning.Compared{Program: "ken/chan.go", Verdict: meaning.Differs})
	fmt.Printf("%+v\n", report.Total())
	fmt.Println(report.Err())
	// Output:
	// {Compared:3 Same:1 Success:1 Expected:0 Varies:1 Differs:1}
	// ken/chan.go differs
}
