// SPDX-License-Identifier: MPL-2.0

package pin

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Folder returns the folder of a package for somebody who is in the folder from, of the
// same module.
func Folder(from, pkg string) (string, error) {
	from, err := filepath.Abs(from)
	if err != nil {
		return "", err
	}
	for dir := from; ; dir = filepath.Dir(dir) {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil:
			return below(dir, modulePath(string(data)), pkg)
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		case dir == filepath.Dir(dir):
			return "", fmt.Errorf("%s is in no module; want the folder of %s, or one of its module", from, pkg)
		}
	}
}

// below returns the folder of a package in the module at root.
func below(root, module, pkg string) (string, error) {
	rest, ok := strings.CutPrefix(pkg+"/", module+"/")
	folder := filepath.Join(root, filepath.FromSlash(rest))
	if !ok || module == "" {
		return "", fmt.Errorf("%s is not in the module %s of %s; want a folder of its module", pkg, module, root)
	}
	info, err := os.Stat(folder)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", folder)
	}
	return folder, nil
}

// modulePath returns the path of the module directive of a go.mod.
func modulePath(gomod string) string {
	for line := range strings.Lines(gomod) {
		line, _, _ := strings.Cut(line, "//")
		words := strings.Fields(line)
		if len(words) != 2 || words[0] != "module" {
			continue
		}
		if path, err := strconv.Unquote(words[1]); err == nil {
			return path
		}
		return words[1]
	}
	return ""
}

// testFunction is where a test function stands.
type testFunction struct {
	file string
	pkg  string // name of the package, which may end in _test
}

// findTests returns the test functions of a folder. A file that does not parse counts
// as far as it does: the output of the command may go to one that is still empty.
func findTests(folder string) (map[string]testFunction, error) {
	paths, err := filepath.Glob(filepath.Join(quoteGlob(folder), "*_test.go"))
	if err != nil {
		return nil, err
	}
	found := map[string]testFunction{}
	for _, path := range paths {
		file, _ := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if file == nil {
			continue
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && isTest(f) {
				found[f.Name.Name] = testFunction{path, file.Name.Name}
			}
		}
	}
	return found, nil
}

// quoteGlob makes a path match itself.
func quoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// isTest reports whether f is a function of one parameter, which go test would call.
func isTest(f *ast.FuncDecl) bool {
	if f.Recv != nil || f.Type.TypeParams != nil || f.Type.Results != nil || !strings.HasPrefix(f.Name.Name, "Test") {
		return false
	}
	params := f.Type.Params.List
	return len(params) == 1 && len(params[0].Names) <= 1 && isTestingT(params[0].Type)
}

func isTestingT(t ast.Expr) bool {
	star, ok := t.(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "T"
}
