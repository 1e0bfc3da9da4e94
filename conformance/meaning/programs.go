// SPDX-License-Identifier: MPL-2.0

package meaning

import (
	"bytes"
	"errors"
	"fmt"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Folders are those of GOROOT/test that have programs.
var Folders = []string{".", "abi", "chan", "fixedbugs", "interface", "ken", "typeparam"}

// Program is a program with packages of its own.
type Program struct {
	Name     string   // of its first file, below the folder that it was found in
	Args     []string // that it runs with
	Want     string   // its expected output; empty if there is none to compare with
	packages []files
}

// files are those of one package.
type files struct {
	dir   string // below the program's
	paths []string
}

// Skips counts programs that are not compared, by the reason.
type Skips map[string]int

// add counts others as well.
func (s Skips) add(other Skips) {
	for reason, n := range other {
		s[reason] += n
	}
}

// The reasons.
const (
	notRun      = "not a program: compiled only, or expected not to compile"
	needsFlags  = "asks for flags of the go command or for a module of its own"
	otherTag    = "for another platform"
	runsGo      = "runs the go command"
	notBuilt    = "does not build as a package of a module, with and without the wrapper"
	unconcerned = "uses nothing that the wrapper could have a part in: -all compares these as well"
	printsPCs   = "prints program counters in decimal, which no two builds have in common"
	slow        = "takes too long without the wrapper"
)

// Programs finds the programs in folders below a root, such as GOROOT/test; unless all are wanted, those that the wrapper could have a
// part in.
func Programs(root string, folders []string, all bool) ([]Program, Skips, error) {
	var programs []Program
	skips := Skips{}
	for _, folder := range folders {
		names, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil {
			return nil, nil, err
		}
		for _, name := range names {
			p, skip, err := program(root, name)
			switch {
			case err != nil:
				return nil, nil, err
			case skip != "":
				skips[skip]++
			case !all && !p.concerned():
				skips[unconcerned]++
			default:
				programs = append(programs, p)
			}
		}
	}
	if len(programs) == 0 {
		return nil, nil, fmt.Errorf("no programs in %s: some distributions of Go leave its folder test out; the toolchains of go.dev have it", root)
	}
	return programs, skips, nil
}

// program reads what a file says about itself, or why it is skipped.
func program(root, file string) (p Program, skip string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return p, "", err
	}
	kind, args := recipe(text)
	lay, ok := kinds[kind]
	switch {
	case !ok:
		return p, notRun, nil
	case len(args) > 0 && strings.HasPrefix(args[0], "-"):
		return p, needsFlags, nil
	case bytes.Contains(text, []byte(`"os/exec"`)) && bytes.Contains(text, []byte(`"go"`)):
		return p, runsGo, nil
	}
	if p.Name, err = filepath.Rel(root, file); err != nil {
		return p, "", err
	}
	if filepath.ToSlash(p.Name) == "fixedbugs/issue29919.go" {
		return p, printsPCs, nil
	}
	if p.packages, p.Args, err = lay(file, args); err != nil {
		return p, "", err
	}
	if ok, err := p.fits(); !ok || err != nil {
		return p, otherTag, err
	}
	p.Want, err = expected(kind, file)
	return p, "", err
}

// recipe is the comment that says what a file is for: a word and its arguments. It is the first line that constrains no build.
func recipe(text []byte) (kind string, args []string) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || constraint.IsGoBuild(line) || constraint.IsPlusBuild(line) {
			continue
		}
		words := strings.Fields(strings.TrimPrefix(line, "//"))
		if len(words) == 0 || !strings.HasPrefix(line, "//") {
			return "", nil
		}
		return words[0], words[1:]
	}
	return "", nil
}

// kinds are the recipes that make programs. Each gives the packages, the last of which is package main, and the arguments. What a
// program of kind runoutput prints is a program again; here it is only output.
var kinds = map[string]func(file string, args []string) ([]files, []string, error){
	"run": single, "buildrun": single, "runoutput": single,
	"rundir": folder,
}

// single makes a program of one file. Arguments that name Go files are more files.
func single(file string, args []string) ([]files, []string, error) {
	main := files{paths: []string{file}}
	for len(args) > 0 && strings.HasSuffix(args[0], ".go") {
		main.paths = append(main.paths, filepath.Join(filepath.Dir(file), args[0]))
		args = args[1:]
	}
	return []files{main}, args, nil
}

// folder makes a program of the files beside: those with one package name are a package, and the last package is package main.
func folder(file string, args []string) ([]files, []string, error) {
	paths, err := filepath.Glob(filepath.Join(strings.TrimSuffix(file, ".go")+".dir", "*.go"))
	if err != nil {
		return nil, nil, err
	}
	var names []string
	var packages []files
	for _, p := range paths {
		syntax, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.PackageClauseOnly)
		if err != nil {
			return nil, nil, err
		}
		i := slices.Index(names, syntax.Name.Name)
		if i < 0 {
			i = len(names)
			names = append(names, syntax.Name.Name)
			packages = append(packages, files{dir: strings.TrimSuffix(filepath.Base(p), ".go")})
		}
		packages[i].paths = append(packages[i].paths, p)
	}
	if len(packages) == 0 {
		return nil, nil, fmt.Errorf("%s: no files beside", file)
	}
	packages[len(packages)-1].dir = ""
	return packages, args, nil
}

// fits reports whether the build constraints of all files hold here.
func (p Program) fits() (bool, error) {
	plain := build.Default
	plain.BuildTags = []string{"test_run"}
	for _, pkg := range p.packages {
		for _, file := range pkg.paths {
			if ok, err := plain.MatchFile(filepath.Split(file)); !ok || err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// expected is the text of the file with the expected output.
func expected(kind, file string) (string, error) {
	if kind == "runoutput" {
		return "", nil
	}
	text, err := os.ReadFile(strings.TrimSuffix(file, ".go") + ".out")
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// id is a name that can stand in an import path and for a file.
func (p Program) id() string {
	return strings.NewReplacer("/", "_", "\\", "_", ".", "_").Replace(strings.TrimSuffix(p.Name, ".go"))
}

// write writes the program's packages below dir, a folder of a module, for a driver.
func (p Program) write(dir string) error {
	for i, pkg := range p.packages {
		to := filepath.Join(dir, p.id(), pkg.dir)
		if err := os.MkdirAll(to, 0o777); err != nil {
			return err
		}
		main := i == len(p.packages)-1
		for _, file := range pkg.paths {
			text, err := p.adapt(file, main)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(to, filepath.Base(file)), text, 0o666); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(dir, p.id(), joinFile), []byte(mainFunction), 0o666)
}

// adapt is the text of a file whose relative imports, which a module may not have, are replaced by paths in the module. Package main
// gets another name.
func (p Program) adapt(file string, main bool) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, file, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, spec := range slices.Backward(syntax.Imports) {
		from, err := strconv.Unquote(spec.Path.Value)
		if err != nil || !strings.HasPrefix(from, ".") {
			continue
		}
		to := strconv.Quote(path.Join(modulePath, p.id(), from))
		at := fset.Position(spec.Path.Pos()).Offset
		text = slices.Replace(text, at, at+len(spec.Path.Value), []byte(to)...)
	}
	if main {
		at := fset.Position(syntax.Name.Pos()).Offset
		text = slices.Replace(text, at, at+len(syntax.Name.Name), []byte(joinedName)...)
	}
	return text, nil
}
