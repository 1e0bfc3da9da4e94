// SPDX-License-Identifier: MPL-2.0

package scoreboard

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

func TestAdapt(t *testing.T) {
	files, err := filepath.Glob("testdata/adapt/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata/adapt: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := adapt(file, src)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Count(got, []byte("\n")) != bytes.Count(src, []byte("\n")) {
				t.Error("the number of lines changed")
			}
			golden(t, file+".golden", got)
		})
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("differs from %s; go test -update writes it\n%s", file, got)
	}
}

// A loop that would start an unknown number of copies is an error, not a kernel that runs otherwise than the others.
func TestAdaptRefusesOtherLoops(t *testing.T) {
	const before, after = "package main\n\nfunc K() {\n\tprof := pprof.Lookup(\"goroutineleak\")\n\t_ = prof\n", "{\n\t}\n}\n"
	for _, loop := range []string{"for range 10 ", "for i := 10; i > 0; i-- ", "for i := 1; i < 10; i++ ", "for i := 0; i < 10; i += 2 ", "for "} {
		_, err := adapt("kernel.go", []byte(before+"\t"+loop+after))
		if err == nil || !strings.Contains(err.Error(), "kernel.go:6:2: a") || !strings.Contains(err.Error(), "loop") {
			t.Errorf("%q: error %v, want one that names the loop and its place", loop, err)
		}
	}
}
