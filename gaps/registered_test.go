// SPDX-License-Identifier: MPL-2.0

package gaps

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPlainBuildHasNoGaps(t *testing.T) {
	if list := Registered(); len(list) != 0 {
		t.Errorf("Registered in a plain build = %+v, want none", list)
	}
}

func TestLinkedLines(t *testing.T) {
	a := Gap{File: "a.go", Line: 1, Construct: "x", Reason: "y"}
	b := Gap{File: "b.go", Line: 2, Construct: "x", Reason: "y", Cure: "z"}
	got := parseLinked([]string{Line(b), Line(a) + "\n", Line(a), "torn record"})
	if len(got) != 3 || got[0] != a || got[1] != b {
		t.Fatalf("parseLinked = %+v, want a, b and the unreadable record", got)
	}
	if got[2].Construct != "torn record" || !strings.Contains(got[2].Reason, "cannot read") {
		t.Errorf("unreadable record became %+v", got[2])
	}
}

// TestReplacedFile builds a program in which another file stands in the place
// of plain.go, as the wrapper does it, and asks the program for its gaps.
func TestReplacedFile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	want := Gap{File: "kv/store.go", Line: 12, Construct: "sync.Map.Range", Reason: "order differs"}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	seam := write("seam.go", "package gaps\n\nfunc linked() []string { return []string{"+quote(Line(want))+"} }\n")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(here, "plain.go"): seam}})
	if err != nil {
		t.Fatal(err)
	}
	main := write("main.go", `package main

import (
	"os"

	"github.com/hmdsefi/faultline/gaps"
)

func main() {
	if err := gaps.Write(os.Stdout, gaps.Registered()); err != nil {
		panic(err)
	}
}
`)

	cmd := exec.Command("go", "run", "-overlay", write("overlay.json", string(overlay)), main)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(strings.NewReader(string(out)))
	if err != nil || !slices.Equal(got, []Gap{want}) {
		t.Errorf("program printed %q (%v), want the gap %+v", out, err, want)
	}
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
