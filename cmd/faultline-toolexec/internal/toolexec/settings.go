// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// CheckSettings reports entries of the variables that name nothing: a package that the toolchain does not have, or a module that the
// main modules of dir do not require. It runs the toolchain's go command if modules are named.
func CheckSettings(ctx context.Context, goroot, dir string) error {
	if std := patternsOf(os.Getenv(stdVariable)); len(std) > 0 {
		packages, err := standardPackages(goroot)
		if err != nil {
			return err
		}
		for _, entry := range std.unknown(packages) {
			return fmt.Errorf("%s: %q is no package of the standard library in %s; it takes import paths, separated by commas, with ... for anything",
				stdVariable, entry, goroot)
		}
	}
	if deps := patternsOf(os.Getenv(depsVariable)); len(deps) > 0 {
		return checkDependencies(ctx, deps, goCommand{goroot, dir})
	}
	return nil
}

// standardPackages lists the import paths of the standard library.
func standardPackages(goroot string) (list []string, err error) {
	src := os.DirFS(filepath.Join(goroot, "src"))
	err = fs.WalkDir(src, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || name == "." {
			return err
		}
		if name == "cmd" || entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), "_") {
			return fs.SkipDir
		}
		files, err := fs.Glob(src, name+"/*.go")
		if len(files) > 0 {
			list = append(list, name)
		}
		return err
	})
	return list, err
}

// goCommand is the go command of a toolchain, in a folder.
type goCommand struct{ goroot, dir string }

func (g goCommand) lines(ctx context.Context, args ...string) ([]string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(g.goroot, "bin", "go"), args...)
	cmd.Dir = g.dir
	out, err := cmd.Output()
	return strings.Split(strings.TrimSpace(string(out)), "\n"), err
}

// checkDependencies asks the files of the main modules first, and the go command, which may want the network, only about what they
// do not know: a module whose go line is older than 1.17 does not list all that it needs.
func checkDependencies(ctx context.Context, deps patterns, g goCommand) error {
	mains, err := g.lines(ctx, "list", "-m", "-f", "{{.Path}}\t{{.GoMod}}")
	if err != nil {
		return nil // outside of modules, or for a reason that the go command has to say
	}
	var modules, names []string
	for _, line := range mains {
		path, gomod, _ := strings.Cut(line, "\t")
		names = append(names, path)
		modules = append(modules, path)
		modules = append(modules, required(gomod)...)
	}
	unknown := deps.unknown(modules)
	if len(unknown) == 0 {
		return nil
	}
	if all, err := g.lines(ctx, "list", "-m", "all"); err == nil {
		for _, line := range all {
			path, _, _ := strings.Cut(line, " ")
			modules = append(modules, path)
		}
	}
	for _, entry := range unknown.unknown(modules) {
		return fmt.Errorf("%s: %q is no module that %s requires; it takes module paths, separated by commas, with ... for anything",
			depsVariable, entry, strings.Join(names, " or "))
	}
	return nil
}

// required lists the modules that a go.mod requires or replaces, and those of the vendor folder beside it.
func required(gomod string) (list []string) {
	text, err := os.ReadFile(gomod)
	if err != nil {
		return nil
	}
	file, err := modfile.ParseLax(gomod, text, nil)
	if err != nil {
		return nil
	}
	for _, r := range file.Require {
		list = append(list, r.Mod.Path)
	}
	vendored, err := os.ReadFile(filepath.Join(filepath.Dir(gomod), "vendor", "modules.txt"))
	if err != nil {
		return list
	}
	for line := range strings.Lines(string(vendored)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "#" {
			list = append(list, fields[1])
		}
	}
	return list
}
