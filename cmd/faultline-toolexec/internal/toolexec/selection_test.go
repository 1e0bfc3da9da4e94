// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSelected(t *testing.T) {
	vendor := t.TempDir()
	modules := "# example.com/a/b v1.0.0\n## explicit\nexample.com/a/b\nexample.com/a/b/c\n# example.com/a v1.1.0\nexample.com/a/d\n" +
		"# example.com/l v1.0.0 => ../l\n## explicit\nexample.com/l\n# example.com/f v1.0.0 => example.com/fork v1.1.0\nexample.com/f\n"
	if err := os.Mkdir(filepath.Join(vendor, "vendor"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(vendor, "vendor", "modules.txt"), []byte(modules), 0o666); err != nil {
		t.Fatal(err)
	}
	cached := "/home/u/go/pkg/mod/example.com/!big/m@v1.2.3/p"
	for name, c := range map[string]struct {
		path, dir, more, std, deps string
		isStd, want                bool
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
		"vendored from a folder":     {path: "example.com/l", dir: vendor + "/vendor/example.com/l", want: true},
		"vendored from a fork":       {path: "example.com/f", dir: vendor + "/vendor/example.com/f"},
		"module below a vendor":      {path: "m/p", dir: "/src/vendor/m/p", want: true},
		"overlay on the cache":       {path: "example.com/Big/m/p", dir: "/overlay", more: cached},
		"named like the seam":        {path: "runtime/debugger", dir: "/src/runtime/debugger", want: true},
		"named like faultline":       {path: "github.com/hmdsefi/faultline/simple", dir: "/src/simple", want: true},
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
			settings := map[string]string{"GOMODCACHE": "/home/u/go/pkg/mod", stdVariable: c.std, depsVariable: c.deps}
			u := Unit{Path: c.path, Dirs: []string{c.dir}, Standard: c.isStd}
			if c.more != "" {
				u.Dirs = append(u.Dirs, c.more)
			}
			if got := SelectionOf(func(name string) string { return settings[name] }).Has(u); got != c.want {
				t.Errorf("%+v is selected: %v, want %v", u, got, c.want)
			}
		})
	}
}

// With -cover, and in packages whose files all import "C", the sources are generated beside the object.
func TestSourceDirs(t *testing.T) {
	objdir := t.TempDir()
	covered := filepath.Join(objdir, "a.cover.go")
	if err := os.WriteFile(covered, []byte("//line /src/m/a.go:1:1\npackage m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ sources, want []string }{
		"plain":     {[]string{"/src/m/a.go", "/src/m/b.go"}, []string{"/src/m"}},
		"overlay":   {[]string{"/overlay/a.go", "/src/m/b.go"}, []string{"/overlay", "/src/m"}},
		"generated": {[]string{covered, filepath.Join(objdir, "covervars.go")}, []string{"/src/m", objdir}},
		"cgo":       {[]string{filepath.Join(objdir, "_cgo_gotypes.go"), "/src/m/a.go"}, []string{"/src/m"}},
	} {
		line := parseCommandLine(append([]string{"-o", filepath.Join(objdir, "_pkg_.a"), "-p", "m"}, c.sources...))
		if got := sourceDirs(&line); !slices.Equal(got, c.want) {
			t.Errorf("%s: folders %q, want %q", name, got, c.want)
		}
	}
}

func TestFolderPath(t *testing.T) {
	for id, want := range map[string]string{
		"m/p": "m/p", "m/p [m/p.test]": "m/p", "m/p_test [m/p.test]": "m/p", "m/q_test [m/p.test]": "m/q_test", "m/p_test": "m/p_test", "": "",
	} {
		if got := FolderPath(id); got != want {
			t.Errorf("FolderPath(%q) = %q, want %q", id, got, want)
		}
	}
}

func TestUnknownPatterns(t *testing.T) {
	names := []string{"net", "net/http", "container/list"}
	got := patternsOf(" net/..., ,container/heap,http,net/htt.,...list").unknown(names)
	if want := (patterns{"container/heap", "http", "net/htt."}); !slices.Equal(got, want) {
		t.Errorf("unknown %q, want %q", got, want)
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
