// SPDX-License-Identifier: MPL-2.0

// Package scoreboard measures how well seeds find real concurrency bugs: the goroutine-leak kernels that ship with every Go
// toolchain, programs of a few dozen lines that were cut out of real projects with their bugs. It reads them from GOROOT, adapts
// them to run once per seed, builds them through the wrapper and without it, searches, replays what it found in a fresh process,
// and counts how often plain Go hits the same bugs.
package scoreboard

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Kernel is one program with a bug.
type Kernel struct {
	Name string `json:"name"`
	File string `json:"file"` // base name

	// Leaks are regular expressions, of which the toolchain says that they match the goroutines that the bug leaves behind, as
	// "function(arguments) [wait reason]". Without any, every goroutine that is left behind counts.
	Leaks []string `json:"leaks,omitempty"`

	// Flaky says that the toolchain's own test does not count on seeing the bug.
	Flaky bool `json:"flaky"`
}

// Paths below GOROOT.
const (
	kernelsDir  = "src/runtime/testdata/testgoroutineleakprofile/goker"
	leaksFile   = "src/runtime/goroutineleakprofile_test.go"
	programMain = "main.go" // in kernelsDir, of the program that all kernels are part of
)

// Kernels reads the kernels of a GOROOT, sorted by name.
func Kernels(goroot string) ([]Kernel, error) {
	leaks, err := knownLeaks(filepath.Join(goroot, leaksFile))
	if err != nil {
		return nil, err
	}
	files, err := kernelFiles(goroot)
	if err != nil {
		return nil, err
	}
	var kernels []Kernel
	for _, file := range files {
		names, err := registered(file)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			known := leaks[name]
			kernels = append(kernels, Kernel{Name: name, File: filepath.Base(file), Leaks: known.patterns, Flaky: known.flaky})
		}
	}
	slices.SortFunc(kernels, func(a, b Kernel) int { return cmp.Compare(a.Name, b.Name) })
	return kernels, nil
}

func kernelFiles(goroot string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(goroot, kernelsDir, "*.go"))
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == programMain })
	if len(files) == 0 {
		return nil, fmt.Errorf("no kernels in %s; Go 1.26 and later have them", filepath.Join(goroot, kernelsDir))
	}
	return files, nil
}

// registered gives the names under which a file registers its kernels: register("Name", Func).
func registered(file string) ([]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var names []string
	for call := range calls(parsed, "register") {
		if texts := literals(call.Args); len(texts) == 1 {
			names = append(names, texts[0])
		}
	}
	return names, nil
}

type known struct {
	patterns []string
	flaky    bool
}

// knownLeaks reads what the toolchain's own test expects: makeTest("Name", leak, …) and makeFlakyTest. Without the file, which a
// distribution may leave out, nothing is known.
func knownLeaks(file string) (map[string]known, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	leaks := map[string]known{}
	for maker, flaky := range map[string]bool{"makeTest": false, "makeFlakyTest": true} {
		for call := range calls(parsed, maker) {
			if texts := literals(call.Args); len(texts) > 1 {
				leaks[texts[0]] = known{patterns: texts[1:], flaky: flaky}
			}
		}
	}
	return leaks, nil
}

// calls yields the calls of a function in a file.
func calls(file *ast.File, function string) func(yield func(*ast.CallExpr) bool) {
	return func(yield func(*ast.CallExpr) bool) {
		for n := range ast.Preorder(file) {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				continue
			}
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == function && !yield(call) {
				return
			}
		}
	}
}

// literals gives the values of the string literals among expressions.
func literals(list []ast.Expr) []string {
	var texts []string
	for _, e := range list {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// adaptAll writes the adapted kernels of a GOROOT into a folder.
func adaptAll(goroot, dir string) error {
	files, err := kernelFiles(goroot)
	if err != nil {
		return err
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		adapted, err := adapt(file, src)
		if err != nil {
			return err
		}
		// A suffix such as _linux would leave a file out.
		name := strings.ReplaceAll(filepath.Base(file), "_", "")
		if err := os.WriteFile(filepath.Join(dir, name), adapted, 0o644); err != nil {
			return err
		}
	}
	return nil
}
