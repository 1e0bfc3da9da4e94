// SPDX-License-Identifier: MPL-2.0

package prepare

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestFindToolchain(t *testing.T) {
	tc, err := FindToolchain(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(tc.Version, "go1.") || !filepath.IsAbs(tc.Goroot) {
		t.Errorf("found %+v", tc)
	}
}

// The go command knows which toolchain it was asked for, and says why it cannot have it.
func TestFindToolchainThatIsNotThere(t *testing.T) {
	t.Setenv("GOTOOLCHAIN", "go1.999.0")
	t.Setenv("GOPROXY", "off")
	if _, err := FindToolchain(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "go1.999.0") {
		t.Errorf("got %v", err)
	}
}

func TestToolchainAtRefusesDevelopmentVersions(t *testing.T) {
	for name, text := range map[string]string{"devel": "devel go1.28-abc\n", "spaces": "go1.26 fork\n", "empty": ""} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, "VERSION"), text)
		if tc, err := ToolchainAt(dir); err == nil {
			t.Errorf("%s: %+v", name, tc)
		}
	}
	if tc, err := ToolchainAt(t.TempDir()); err == nil {
		t.Errorf("no VERSION: %+v", tc)
	}
}

func TestToolexecFlagQuotes(t *testing.T) {
	for path, want := range map[string]string{
		"/bin/ft":          "-toolexec=/bin/ft",
		"/my bin/ft":       "-toolexec='/my bin/ft'",
		"/it's/ft":         `-toolexec="/it's/ft"`,
		`/a "b" c/ft`:      `-toolexec='/a "b" c/ft'`,
		`C:\Program x\f.e`: `-toolexec='C:\Program x\f.e'`,
	} {
		if got, err := ToolexecFlag(path); got != want || err != nil {
			t.Errorf("ToolexecFlag(%s) = %s, %v; want %s", path, got, err, want)
		}
	}
	if got, err := ToolexecFlag(`/it's "b"/ft`); err == nil {
		t.Errorf("both quotes: %s", got)
	}
}
