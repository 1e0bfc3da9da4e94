// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/prepare"
)

func TestGorootOfATool(t *testing.T) {
	t.Setenv("GOROOT", "/from/environment")
	for tool, want := range map[string]string{
		"/usr/local/go/pkg/tool/linux_amd64/compile":           "/usr/local/go",
		"/mod/toolchain@v1/pkg/tool/windows_arm64/compile.exe": "/mod/toolchain@v1",
		"/opt/toolstash/compile":                               "/from/environment",
	} {
		if got := goroot(filepath.FromSlash(tool)); got != filepath.FromSlash(want) {
			t.Errorf("%s belongs to %s, want %s", tool, got, want)
		}
	}
}

// A tool of Windows is the same one.
func TestToolName(t *testing.T) {
	for tool, want := range map[string]string{
		"/go/pkg/tool/linux_amd64/compile": "compile", "/go/pkg/tool/windows_amd64/compile.exe": "compile", "link.exe": "link", "gcc": "gcc",
	} {
		if got := toolName(filepath.FromSlash(tool)); got != want {
			t.Errorf("toolName(%s) = %s, want %s", tool, got, want)
		}
	}
}

func TestEntryOfAnUnpreparedToolchain(t *testing.T) {
	t.Setenv(prepare.EntryVariable, "")
	w := Wrapper{Cache: func() (prepare.Cache, error) { return prepare.Cache{Dir: t.TempDir()}, nil }}
	_, err := w.entry(compiler(t))
	if err == nil || !strings.HasSuffix(err.Error(), " is not prepared; run: faultline-toolexec prepare") ||
		!strings.HasPrefix(err.Error(), "go1.") {
		t.Errorf("got %v", err)
	}
}

func TestEntryWithoutCache(t *testing.T) {
	t.Setenv(prepare.EntryVariable, "")
	failure := errors.New("neither $XDG_CACHE_HOME nor $HOME are defined")
	w := Wrapper{Cache: func() (prepare.Cache, error) { return prepare.Cache{}, failure }}
	if _, err := w.entry(compiler(t)); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
}

// The marker changes with everything that changes an output, and with nothing else.
func TestMarker(t *testing.T) {
	line := "compile version go1.26.8"
	mark := func(w Wrapper, entry string) string {
		t.Helper()
		m, err := w.marker(line, entry)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	plain := mark(Wrapper{Seam: "a"}, "e")
	if again := mark(Wrapper{Seam: "a", Version: "v9"}, "e"); again != plain {
		t.Errorf("markers %s and %s of one wrapper", plain, again)
	}
	seen := map[string]string{plain: "plain"}
	differs := func(what, marker string) {
		t.Helper()
		if other, ok := seen[marker]; ok {
			t.Errorf("%s has the marker of %s", what, other)
		}
		seen[marker] = what
	}
	differs("another seam", mark(Wrapper{Seam: "b"}, "e"))
	differs("another entry", mark(Wrapper{Seam: "a"}, "f"))
	for _, name := range outputVariables {
		t.Setenv(name, "net/http")
		differs(name, mark(Wrapper{Seam: "a"}, "e"))
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
}

// compiler is where the compiler of the toolchain in use is.
func compiler(t *testing.T) string {
	t.Helper()
	tc, err := prepare.FindToolchain(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(tc.Goroot, "pkg", "tool", "any", "compile")
}
