// SPDX-License-Identifier: MPL-2.0

package ingredients_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/conformance/ingredients"
	"github.com/hmdsefi/faultline/sched"
)

// TestPrograms runs the programs that INGREDIENTS names, one a line, with the seed of INGREDIENT_SEED, and prints what each of them
// logged. Package exactness runs it in many processes.
func TestPrograms(t *testing.T) {
	names := os.Getenv("INGREDIENTS")
	if names == "" {
		t.Skip("INGREDIENTS names no program")
	}
	seed, err := strconv.ParseUint(os.Getenv("INGREDIENT_SEED"), 10, 64)
	if err != nil {
		t.Fatalf("INGREDIENT_SEED: %v", err)
	}
	runtime.GOMAXPROCS(1) // as faultline.Run does: an exact run needs it
	programs := map[string]ingredients.Ingredient{}
	for _, in := range ingredients.All() {
		programs[in.Name] = in
	}
	for name := range strings.SplitSeq(names, "\n") {
		in, ok := programs[name]
		if !ok {
			t.Fatalf("INGREDIENTS: no program is called %q", name)
		}
		log := ingredients.NewLog()
		out := sched.Bubble(t, sched.Config{Seed: seed, Exact: sched.Available()}, func(*testing.T) { in.Run(log) })
		if out.Deadlock != nil {
			t.Fatal(out.Deadlock)
		}
		fmt.Printf("logged %s-%x exact=%t outside=%d of %s\n", log, out.Hash, out.Exact, out.Outside, name)
	}
}
