// SPDX-License-Identifier: MPL-2.0

package meaning

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Linking takes most of the time of building a small program. So the packages main of many programs become packages of one, the
// driver, which runs the main function of the program that its first argument names. A program whose packages do something
// before main has a driver of its own.

const (
	joinedName = "program" // of the packages that were called main
	joinedMain = "JoinedMain"
	joinFile   = "zz_join.go"
	driverDir  = "drivers"
	common     = "common" // the driver of most programs
)

// main is the function of a package that the driver calls.
const mainFunction = "package " + joinedName + "\n\nfunc " + joinedMain + "() { main() }\n"

// alone reports whether a program must not be in one binary with others: its packages compute something before main, or have
// directives that are about the binary.
func (p Program) alone() bool {
	for _, pkg := range p.packages {
		for _, name := range pkg.paths {
			text, err := os.ReadFile(name)
			if err != nil || bytes.Contains(text, []byte("//go:linkname")) || bytes.Contains(text, []byte("//go:debug")) {
				return true
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
			if err != nil || slices.ContainsFunc(file.Decls, runsEarly) {
				return true
			}
		}
	}
	return false
}

// runsEarly reports whether a declaration runs code when its package is initialised.
func runsEarly(decl ast.Decl) (found bool) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return decl.Recv == nil && decl.Name.Name == "init"
	case *ast.GenDecl:
		if decl.Tok != token.VAR {
			return false
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit: // is called by a call, if at all
				return false
			case *ast.CallExpr:
				found = true
			case *ast.UnaryExpr:
				found = found || n.Op == token.ARROW
			}
			return !found
		})
	}
	return found
}

// driver is the text of a driver of some programs.
func driver(programs []Program) string {
	var imports, cases strings.Builder
	for i, p := range programs {
		fmt.Fprintf(&imports, "\tp%d %q\n", i, path.Join(modulePath, p.id()))
		fmt.Fprintf(&cases, "\t%q: p%d.%s,\n", p.id(), i, joinedMain)
	}
	return "package main\n\nimport (\n\t\"os\"\n\n" + imports.String() + ")\n\nvar programs = map[string]func(){\n" + cases.String() + "}\n\n" +
		"func main() {\n\trun := programs[os.Args[1]]\n\tos.Args = append(os.Args[:1], os.Args[2:]...)\n\trun()\n}\n"
}

// drivers says which driver each program has.
type drivers map[string][]Program

func (d drivers) add(p Program) {
	name := common
	if p.alone() {
		name = p.id()
	}
	d[name] = append(d[name], p)
}

// write writes the drivers into a module.
func (d drivers) write(dir string) error {
	for name, programs := range d {
		folder := filepath.Join(dir, driverDir, name)
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(driver(programs)), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// compiled is what the compiler said of the packages of a module: nothing if it compiled one.
type compiled map[string]string

// compile compiles the packages of a module.
func (b Build) compile(ctx context.Context, dir string) (compiled, error) {
	var stderr bytes.Buffer
	cmd := b.command(ctx, dir, "list", "-e", "-export", "-json=ImportPath,Export,Error,DepsErrors", "./...")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	result := compiled{}
	for packages := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg struct {
			ImportPath, Export string
			Error              *struct{ Err string }
			DepsErrors         []struct{ Err string }
		}
		switch err := packages.Decode(&pkg); {
		case err == io.EOF && len(result) > 0:
			return result, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w\n%s", cmd, err, stderr.String())
		}
		switch {
		case pkg.Error != nil:
			result[pkg.ImportPath] = pkg.Error.Err
		case len(pkg.DepsErrors) > 0:
			result[pkg.ImportPath] = pkg.DepsErrors[0].Err
		case pkg.Export == "":
			result[pkg.ImportPath] = "not compiled\n" + stderr.String()
		default:
			result[pkg.ImportPath] = ""
		}
	}
}

// link builds the drivers into a folder and returns what the go command said. One that does not build is missing there.
func (b Build) link(ctx context.Context, dir, bin string) (string, error) {
	cmd := b.command(ctx, dir, "build", "-ldflags=-s -w", "-o", bin+string(filepath.Separator), "./"+driverDir+"/...")
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return "", err
	}
	return string(out), ctx.Err()
}
