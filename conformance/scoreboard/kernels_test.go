// SPDX-License-Identifier: MPL-2.0

package scoreboard

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// The kernels of the toolchain in use, with what its own test knows of them.
func TestKernels(t *testing.T) {
	goroot, err := GOROOT(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := Kernels(goroot)
	if err != nil {
		t.Fatal(err)
	}
	if len(kernels) < 60 {
		t.Errorf("%d kernels, want at least 60", len(kernels))
	}
	flaky, known := 0, 0
	for i, k := range kernels {
		if i > 0 && k.Name <= kernels[i-1].Name {
			t.Errorf("%s follows %s", k.Name, kernels[i-1].Name)
		}
		if len(k.Leaks) > 0 {
			known++
		}
		if k.Flaky {
			flaky++
		}
		for _, leak := range k.Leaks {
			if _, err := regexp.Compile(leak); err != nil {
				t.Errorf("%s: %v", k.Name, err)
			}
		}
	}
	if flaky < 30 || known < 60 {
		t.Errorf("%d kernels marked flaky and %d with known leaks, want at least 30 and 60", flaky, known)
	}
}

// inventedRoot makes a GOROOT with the kernels of testdata/verdicts.
func inventedRoot(t *testing.T) string {
	t.Helper()
	goroot := t.TempDir()
	dir := filepath.Join(goroot, kernelsDir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS("testdata/verdicts")); err != nil {
		t.Fatal(err)
	}
	return goroot
}

func TestKernelsWithoutKnownLeaks(t *testing.T) {
	kernels, err := Kernels(inventedRoot(t))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range kernels {
		names = append(names, k.Name)
		if k.File != "kernels.go" || k.Leaks != nil || k.Flaky {
			t.Errorf("%+v, want a kernel of kernels.go of which nothing is known", k)
		}
	}
	if want := []string{"Always", "InAnOrder", "Never", "Panics", "PicksItsCopy", "Spins"}; !slices.Equal(names, want) {
		t.Errorf("kernels %q, want %q", names, want)
	}
}

func TestKernelsOfAnOldToolchain(t *testing.T) {
	if _, err := Kernels(t.TempDir()); err == nil {
		t.Error("a GOROOT without kernels gave no error")
	}
}

func TestToolchain(t *testing.T) {
	got, err := Toolchain(t.Context())
	if err != nil || !regexp.MustCompile(`^go1\.\S+ \w+/\w+$`).MatchString(got) {
		t.Errorf("toolchain %q, %v", got, err)
	}
}
