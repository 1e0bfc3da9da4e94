// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/prepare"
)

// check checks the settings in a module that requires example.com/dep and has example.com/old vendored.
func check(t *testing.T, std, deps string) error {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":             "module example.com/m\n\ngo 1.16\n\nrequire example.com/dep v1.0.0\n",
		"vendor/modules.txt": "# example.com/dep v1.0.0\n## explicit\n# example.com/old v1.0.0\nexample.com/old\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(stdVariable, std)
	t.Setenv(depsVariable, deps)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOPROXY", "off")
	tc, err := prepare.FindToolchain(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return CheckSettings(t.Context(), tc.Goroot, dir)
}

func TestCheckSettings(t *testing.T) {
	for name, c := range map[string]struct{ std, deps, variable, entry string }{
		"nothing":            {},
		"known":              {std: "container/list, net/...", deps: "example.com/dep,example.com/old,example.com/m"},
		"patterns":           {std: "...", deps: "example..."},
		"unknown package":    {std: "net,net/htp", variable: stdVariable, entry: `"net/htp"`},
		"command":            {std: "cmd/go", variable: stdVariable, entry: `"cmd/go"`},
		"folder":             {std: "container", variable: stdVariable, entry: `"container"`},
		"unknown pattern":    {std: "nett/...", variable: stdVariable, entry: `"nett/..."`},
		"unknown module":     {deps: "example.com/dep,example.com/depp", variable: depsVariable, entry: `"example.com/depp"`},
		"package, no module": {deps: "example.com/dep/p", variable: depsVariable, entry: `"example.com/dep/p"`},
	} {
		t.Run(name, func(t *testing.T) {
			err := check(t, c.std, c.deps)
			if (err != nil) != (c.variable != "") {
				t.Fatalf("error %v", err)
			}
			if err != nil && (!strings.HasPrefix(err.Error(), c.variable+": "+c.entry) || strings.Contains(err.Error(), "\n")) {
				t.Errorf("error %q, want one line that begins with the variable and the entry", err)
			}
		})
	}
}
