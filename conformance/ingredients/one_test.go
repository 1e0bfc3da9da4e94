// SPDX-License-Identifier: MPL-2.0

package ingredients_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/hmdsefi/faultline/conformance/ingredients"
	"github.com/hmdsefi/faultline/sched"
)

// TestOne runs the program that INGREDIENT names, with the seed of INGREDIENT_SEED, and prints what it logged. Package
// exactness runs it in many processes.
func TestOne(t *testing.T) {
	name := os.Getenv("INGREDIENT")
	if name == "" {
		t.Skip("INGREDIENT names no program")
	}
	seed, err := strconv.ParseUint(os.Getenv("INGREDIENT_SEED"), 10, 64)
	if err != nil {
		t.Fatalf("INGREDIENT_SEED: %v", err)
	}
	runtime.GOMAXPROCS(1) // as faultline.Run does: an exact run needs it
	for _, in := range ingredients.All() {
		if in.Name != name {
			continue
		}
		log := ingredients.NewLog()
		out := sched.Bubble(t, sched.Config{Seed: seed, Exact: sched.Available()}, func(*testing.T) { in.Run(log) })
		if out.Deadlock != nil {
			t.Fatal(out.Deadlock)
		}
		fmt.Printf("logged %s exact=%t outside=%d\n", log, out.Exact, out.Outside)
		return
	}
	t.Fatalf("INGREDIENT: no program is called %q", name)
}
