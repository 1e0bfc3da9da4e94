// SPDX-License-Identifier: MPL-2.0

package seam

import (
	"errors"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("go env GOROOT: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func TestEveryRuleAppliesToTheToolchainInUse(t *testing.T) {
	root := goroot(t)
	r, err := Apply(root)
	if err != nil {
		t.Fatal(err)
	}
	release, _ := releaseOf(r.Version)
	if want := len(rulesFor(release)); len(r.Applied) != want {
		t.Errorf("%d rules applied, want all %d", len(r.Applied), want)
	}
	for name, text := range r.Files {
		if _, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution); err != nil {
			t.Errorf("rewritten file does not parse: %v", err)
		}
		_, err := os.Stat(filepath.Join(root, "src", name))
		if exists := err == nil; exists == r.Added[name] {
			t.Errorf("%s: Added = %v, but in the toolchain: %v", name, r.Added[name], exists)
		}
	}
}

// Directives of the compiler live in comments, which a printer may drop or move.
func TestDirectivesAreKept(t *testing.T) {
	root := goroot(t)
	r, err := Apply(root)
	if err != nil {
		t.Fatal(err)
	}
	directive := regexp.MustCompile(`(?m)^//go:\w+.*\n(?:(?://.*)?\n)*(?:func|var|type|const)?.*`)
	for name, text := range r.Files {
		if r.Added[name] {
			continue
		}
		original, err := os.ReadFile(filepath.Join(root, "src", name))
		if err != nil {
			t.Fatal(err)
		}
		want := directive.FindAllString(string(original), -1)
		got := directive.FindAllString(string(text), -1)
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: directives and what they stand on changed:\n%q\nwant\n%q", name, got, want)
		}
	}
}

// copyOf makes a GOROOT of just the files that the rules touch, in which a test may spoil one.
func copyOf(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	version, err := readVersion(root)
	if err != nil {
		t.Fatal(err)
	}
	release, _ := releaseOf(version)
	names := []string{"VERSION"}
	for _, group := range groupByFile(rulesFor(release)) {
		names = append(names, "src/"+group[0].file)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func spoil(t *testing.T, file, old, new string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	spoiled := strings.ReplaceAll(string(text), old, new)
	if spoiled == string(text) {
		t.Fatalf("%s has no %q", file, old)
	}
	if err := os.WriteFile(file, []byte(spoiled), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestUnknownToolchainIsRefusedByRule(t *testing.T) {
	root := copyOf(t, goroot(t))
	spoil(t, filepath.Join(root, "src/runtime/proc.go"), "runqput(pp, gp, false)", "runqput(pp, gp, !true)")
	_, err := Apply(root)
	var mismatch *MismatchError
	if !errors.As(err, &mismatch) {
		t.Fatalf("Apply: %v, want a MismatchError", err)
	}
	if mismatch.Rule != "yields" || mismatch.File != "runtime/proc.go" || mismatch.Want != 1 || mismatch.Got != 0 {
		t.Errorf("Apply: %+v", mismatch)
	}
	for _, part := range []string{mismatch.Version, `"yields"`, "runtime/proc.go", "go1.26"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not name %s", err, part)
		}
	}
}

func TestReleaseOf(t *testing.T) {
	tests := map[string]struct {
		release string
		known   bool
	}{
		"go1.26":      {"go1.26", true},
		"go1.26.8":    {"go1.26", true},
		"go1.27rc1":   {"go1.27", true},
		"go1.27.3":    {"go1.27", true},
		"go1.27-abcd": {"go1.27", true},
		"go1.270":     {"go1.27", false},
		"go1.28":      {"go1.27", false},
		"devel":       {"go1.27", false},
	}
	for version, want := range tests {
		if release, known := releaseOf(version); release != want.release || known != want.known {
			t.Errorf("releaseOf(%s) = %s, %v; want %s, %v", version, release, known, want.release, want.known)
		}
	}
}

func TestMissingFileIsNamed(t *testing.T) {
	root := copyOf(t, goroot(t))
	if err := os.Remove(filepath.Join(root, "src/runtime/coro.go")); err != nil {
		t.Fatal(err)
	}
	if _, err := Apply(root); err == nil || !strings.Contains(err.Error(), "coro.go") {
		t.Errorf("Apply: %v, want an error that names coro.go", err)
	}
}

func TestReformattingChangesNothing(t *testing.T) {
	root := copyOf(t, goroot(t))
	spoil(t, filepath.Join(root, "src/runtime/proc.go"), "runqput(pp, gp, false)", "runqput( pp,\n\t\tgp, // why not\n\t\tfalse)")
	if _, err := Apply(root); err != nil {
		t.Error(err)
	}
}

func TestFingerprintIsStable(t *testing.T) {
	if a, b := Fingerprint(), Fingerprint(); a != b || len(a) != 32 {
		t.Errorf("Fingerprint() = %s, then %s", a, b)
	}
}

func TestReplacement(t *testing.T) {
	text, want, ok := Replacement(RuntimePath, "plain.go")
	if !ok || !strings.Contains(string(text), "const Present = true") || !strings.Contains(string(want), "const Present = false") {
		t.Errorf("Replacement(plain.go) = %q for %q, %v", text, want, ok)
	}
	if _, _, ok := Replacement("example.com/runtime", "plain.go"); ok {
		t.Error("a package of another module is replaced")
	}
}
