// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSelected(t *testing.T) {
	t.Setenv("GOMODCACHE", "/home/u/go/pkg/mod")
	vendor := t.TempDir()
	modules := "# example.com/a/b v1.0.0\n## explicit\nexample.com/a/b\nexample.com/a/b/c\n# example.com/a v1.1.0\nexample.com/a/d\n"
	for _, dir := range []string{"vendor/example.com/a/b/c", "vendor/example.com/a/d"} {
		if err := os.MkdirAll(filepath.Join(vendor, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(vendor, "vendor", "modules.txt"), []byte(modules), 0o666); err != nil {
		t.Fatal(err)
	}
	cached := "/home/u/go/pkg/mod/example.com/!big/m@v1.2.3/p"
	for name, c := range map[string]struct {
		path, dir, std, deps string
		isStd, want          bool
	}{
		"main module":                {path: "m/p", dir: "/src/m/p", want: true},
		"main package":               {path: "main", dir: "/src/m", want: true},
		"beside the cache":           {path: "m/p", dir: "/home/u/go/pkg/mods/m", want: true},
		"module cache":               {path: "example.com/Big/m/p", dir: cached},
		"named module":               {path: "example.com/Big/m/p", dir: cached, deps: "x, example.com/Big/m", want: true},
		"named by a pattern":         {path: "example.com/Big/m/p", dir: cached, deps: "example.com/...", want: true},
		"another module's prefix":    {path: "example.com/Big/m/p", dir: cached, deps: "example.com/Big"},
		"named package, not module":  {path: "example.com/Big/m/p", dir: cached, deps: "example.com/Big/m/p"},
		"vendored":                   {path: "example.com/a/b/c", dir: vendor + "/vendor/example.com/a/b/c"},
		"vendored and named":         {path: "example.com/a/b/c", dir: vendor + "/vendor/example.com/a/b/c", deps: "example.com/a/b", want: true},
		"vendored beside":            {path: "example.com/a/b/c", dir: vendor + "/vendor/example.com/a/b/c", deps: "example.com/a"},
		"vendored above":             {path: "example.com/a/d", dir: vendor + "/vendor/example.com/a/d", deps: "example.com/a", want: true},
		"standard":                   {path: "net/http", dir: "/go/src/net/http", isStd: true},
		"standard and named":         {path: "net/http", dir: "/go/src/net/http", isStd: true, std: "net/...", want: true},
		"a pattern's own folder":     {path: "net", dir: "/go/src/net", isStd: true, std: "net/...", want: true},
		"standard named as module":   {path: "net/http", dir: "/go/src/net/http", isStd: true, deps: "..."},
		"what a point is made of":    {path: "internal/runtime/maps", dir: "/go/src/internal/runtime/maps", isStd: true, std: "..."},
		"sync/atomic":                {path: "sync/atomic", dir: "/go/src/sync/atomic", isStd: true, std: "..."},
		"internal/poll":              {path: "internal/poll", dir: "/go/src/internal/poll", isStd: true, std: "...", want: true},
		"faultline":                  {path: "github.com/hmdsefi/faultline", dir: "/src/faultline"},
		"faultline's driver":         {path: "github.com/hmdsefi/faultline/shims/driver", dir: "/src/faultline/shims/driver"},
		"faultline's examples":       {path: "github.com/hmdsefi/faultline/examples/kv", dir: "/src/faultline/examples/kv", want: true},
		"faultline's external tests": {path: "github.com/hmdsefi/faultline_test", dir: "/src/faultline", want: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(stdVariable, c.std)
			t.Setenv(depsVariable, c.deps)
			args := []string{"-o", "/work/b001/_pkg_.a", "-p", c.path}
			if c.isStd {
				args = append(args, "-std")
			}
			line := parseCommandLine(append(args, filepath.Join(c.dir, "a.go"), "/work/b001/_cgo_gotypes.go"))
			if got := selected(&line); got != c.want {
				t.Errorf("selected(%v) = %v, want %v", line.args(), got, c.want)
			}
		})
	}
}

// With -cover, and in packages whose files all import "C", the sources are generated beside the object.
func TestSelectedGenerated(t *testing.T) {
	t.Setenv("GOMODCACHE", "/home/u/go/pkg/mod")
	for dir, want := range map[string]bool{"/src/m": true, "/home/u/go/pkg/mod/m@v1.0.0": false} {
		objdir := t.TempDir()
		source := filepath.Join(objdir, "a.cover.go")
		if err := os.WriteFile(source, []byte("//line "+dir+"/a.go:1:1\npackage m\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		line := parseCommandLine([]string{"-o", filepath.Join(objdir, "_pkg_.a"), "-p", "m", source})
		if got := selected(&line); got != want {
			t.Errorf("a package of %s: selected = %v, want %v", dir, got, want)
		}
	}
}

func TestPointsReplaceSources(t *testing.T) {
	objdir := t.TempDir()
	w := Wrapper{Rewrite: func(p Package) (map[string][]byte, []byte, error) {
		if p.Path != "m" || p.Lang != "go1.21" || p.ImportConfig != "cfg" {
			t.Errorf("package %+v", p)
		}
		return map[string][]byte{"/src/b.go": []byte("package m // b")}, []byte("package m // added"), nil
	}}
	object := filepath.Join(objdir, "_pkg_.a")
	line := parseCommandLine([]string{"-o", object, "-p", "m", "-lang=go1.21", "-importcfg", "cfg", "/src/a.go", "/src/b.go"})
	if err := w.points(&line); err != nil {
		t.Fatal(err)
	}
	want := []string{"/src/a.go", filepath.Join(objdir, "faultline", "b.go"), filepath.Join(objdir, "faultline", addedSource)}
	if len(line.sources) != 3 || line.sources[0] != want[0] || line.sources[1] != want[1] || line.sources[2] != want[2] {
		t.Fatalf("sources %q, want %q", line.sources, want)
	}
	for file, text := range map[string]string{want[1]: "package m // b", want[2]: "package m // added"} {
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("%s holds %q, %v", file, got, err)
		}
	}
}

func TestPointsLeaveOthers(t *testing.T) {
	w := Wrapper{Rewrite: func(Package) (map[string][]byte, []byte, error) { return nil, nil, nil }}
	line := parseCommandLine([]string{"-o", filepath.Join(t.TempDir(), "_pkg_.a"), "-p", "m", "/src/a.go"})
	if err := w.points(&line); err != nil || len(line.sources) != 1 || line.sources[0] != "/src/a.go" {
		t.Errorf("sources %q, %v", line.sources, err)
	}
}

func TestGenerated(t *testing.T) {
	for name, want := range map[string]bool{
		"/o/_cgo_gotypes.go": true, "/o/_cgo_import.go": true, "/o/_testmain.go": true, "/o/_testmain.cover.go": true,
		"/o/covervars.go": true, "/o/a.cgo1.go": false, "/o/a.cover.go": false, "/src/a.go": false,
	} {
		if got := Generated(name); got != want {
			t.Errorf("Generated(%s) = %v, want %v", name, got, want)
		}
	}
}
