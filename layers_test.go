// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/hmdsefi/faultline"

// simPackages are the simulated world, which sits on nothing but itself.
var simPackages = []string{"sim/kernel", "sim/simnet", "sim/simdisk", "sim/fault", "sim/history"}

// layers says which packages of the project each package may import. A folder that has
// no line of its own is part of its nearest parent that has one.
var layers = map[string][]string{
	"": slices.Concat(simPackages, []string{
		"artifact", "gaps", "sched", "sched/decisions", "shims/driver", "shims/netsim", "shims/fsx", "internal/rerun", "internal/progress",
	}),
	"artifact":          append([]string{"gaps", "sched/decisions"}, simPackages...),
	"shims/netsim":      append([]string{"shims/driver"}, simPackages...),
	"shims/fsx":         append([]string{"shims/driver"}, simPackages...),
	"shims/driver":      {"sim/kernel"},
	"sim/fault":         {"sim/kernel", "sim/simnet", "sim/simdisk"},
	"sim/history":       {"sim/kernel", "sim/simnet", "sim/simdisk"},
	"sim/simnet":        {"sim/kernel"},
	"sim/simdisk":       {"sim/kernel"},
	"sim/kernel":        {},
	"sched":             {"runtime", "sched/decisions"},
	"sched/decisions":   {"runtime"},
	"runtime":           {},
	"gaps":              {},
	"internal/progress": {},
	"internal/rerun":    {},
	"prepare":           {},
	"rewrite":           {"runtime", "gaps"},

	"cmd/faultline":          {"artifact", "internal/progress"},
	"cmd/faultline-toolexec": {"prepare", "gaps", "rewrite"},
	"shims/grpcsim":          {"", "shims/netsim"},
}

// free are folders that may import everything.
var free = []string{"conformance", "harness", "examples", "testdata"}

// rootRequires are the modules that the root module may require.
var rootRequires = []string{"github.com/hmdsefi/gograph v0.7.0"}

// source is one Go file and the import paths in it.
type source struct {
	path    string // below the root of the repository, with slashes
	dir     string
	test    bool
	imports []string
}

// sources parses all Go files of the repository, without those that are data.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if name == "testdata" || path != "." && (name[0] == '.' || name[0] == '_') {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		s := source{path: path, dir: filepath.ToSlash(filepath.Dir(path)), test: strings.HasSuffix(name, "_test.go")}
		if s.dir == "." {
			s.dir = ""
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, imported)
		}
		list = append(list, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// nested returns the folders of the modules below the root, which may require more.
func nested(t *testing.T) []string {
	t.Helper()
	var dirs []string
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "go.mod" && path != "go.mod" {
			dirs = append(dirs, filepath.ToSlash(filepath.Dir(path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// within reports whether dir is one of the folders or below one of them.
func within(dir string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return dir == f || strings.HasPrefix(dir, f+"/") })
}

// inModule returns the folder of a package of this project.
func inModule(path string) (dir string, ok bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

func TestImportsPointDown(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || within(s.dir, free) {
			continue
		}
		layer := s.dir
		for layers[layer] == nil && strings.Contains(layer, "/") {
			layer = layer[:strings.LastIndex(layer, "/")]
		}
		allowed, known := layers[layer]
		if !known {
			t.Errorf("%s: folder %q has no place in the layers; add it to the table here and in the design", s.path, s.dir)
			continue
		}
		for _, imported := range s.imports {
			dir, ours := inModule(imported)
			if ours && dir != layer && !mayImport(layer, allowed, dir) {
				t.Errorf("%s imports %q; %q may import %q", s.path, imported, layer, allowed)
			}
		}
	}
}

// mayImport reports whether dir is part of the layer itself or of an allowed one.
func mayImport(layer string, allowed []string, dir string) bool {
	if dir == "" {
		return slices.Contains(allowed, "")
	}
	parts := slices.DeleteFunc(append([]string{layer}, allowed...), func(part string) bool { return part == "" })
	return within(dir, parts)
}

// Every folder of the table exists or is still to come; a renamed one must not leave a
// dead line behind.
func TestLayersName(t *testing.T) {
	for _, layer := range slices.Sorted(maps.Keys(layers)) {
		for _, dir := range layers[layer] {
			if layers[dir] == nil {
				t.Errorf("%q may import %q, which has no line of its own", layer, dir)
			}
		}
	}
}

// standard reports whether an import path is of the standard library.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// The root module needs the standard library and gograph, its tests included.
func TestRootModuleRequiresOnlyGograph(t *testing.T) {
	modules := nested(t)
	for _, s := range sources(t) {
		if within(s.dir, modules) {
			continue
		}
		for _, imported := range s.imports {
			dir, ours := inModule(imported)
			switch {
			case ours && within(dir, modules):
				t.Errorf("%s imports %q, which is in a module of its own", s.path, imported)
			case !ours && !standard(imported) && imported != "github.com/hmdsefi/gograph" && !strings.HasPrefix(imported, "github.com/hmdsefi/gograph/"):
				t.Errorf("%s imports %q", s.path, imported)
			}
		}
	}
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if got := requires(string(data)); !slices.Equal(got, rootRequires) {
		t.Errorf("go.mod requires %q, want %q", got, rootRequires)
	}
}

// requires lists the modules and versions of all require directives of a go.mod.
func requires(gomod string) []string {
	var list []string
	block := false
	for line := range strings.Lines(gomod) {
		line, _, _ = strings.Cut(line, "//")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0] == ")":
			block = false
		case fields[0] == "require" && len(fields) == 2 && fields[1] == "(":
			block = true
		case fields[0] == "require":
			list = append(list, strings.Join(fields[1:], " "))
		case block:
			list = append(list, strings.Join(fields, " "))
		}
	}
	return list
}

func TestRequires(t *testing.T) {
	got := requires("module x\n\nrequire a.b/c v1.0.0 // indirect\n\nrequire (\n\td.e/f v1.2.3\n)\n\nreplace a => b\n")
	if want := []string{"a.b/c v1.0.0", "d.e/f v1.2.3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// No go.mod has a replace directive: go install refuses a module that has one.
func TestNoModuleReplaces(t *testing.T) {
	for _, dir := range append(nested(t), ".") {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(strings.TrimSpace(line), "replace") {
				t.Errorf("%s/go.mod: %s", dir, line)
			}
		}
	}
}

func TestEveryFileHasALicenceLine(t *testing.T) {
	for _, s := range sources(t) {
		data, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(data), "// SPDX-License-Identifier: MPL-2.0\n") {
			t.Errorf("%s does not begin with the SPDX line", s.path)
		}
	}
}
