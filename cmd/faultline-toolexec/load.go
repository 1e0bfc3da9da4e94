// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/hmdsefi/faultline/cmd/faultline-toolexec/internal/toolexec"
	"github.com/hmdsefi/faultline/gaps"
	"github.com/hmdsefi/faultline/rewrite/audit/reach"
	"github.com/hmdsefi/faultline/rewrite/source"
)

// findGaps loads packages with their tests and everything that they import, and examines those that the wrapper would rewrite.
func findGaps(ctx context.Context, goroot string, flags gapFlags) (*gapReport, error) {
	selection, err := selectionHere(ctx)
	if err != nil {
		return nil, err
	}
	programs, err := load(ctx, flags)
	if err != nil {
		return nil, err
	}
	selected := map[*types.Package]*packages.Package{}
	packages.Visit(programs, nil, func(p *packages.Package) {
		if selection.Has(unitOf(p, goroot)) {
			selected[p.Types] = p
		}
	})
	reached := reach.Of(programs, func(p *types.Package) bool { return selected[p] != nil })
	r := &gapReport{reached: map[gaps.Gap]bool{}, processes: reached.Processes}
	for _, p := range selected {
		r.examine(p, reached)
	}
	gaps.Sort(r.list)
	r.list = slices.Compact(r.list)
	return r, nil
}

// load type-checks the packages of the patterns, and what they import, from source.
func load(ctx context.Context, flags gapFlags) ([]*packages.Package, error) {
	config := &packages.Config{
		Context: ctx,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedModule,
		Tests: true,
	}
	if flags.tags != "" {
		config.BuildFlags = []string{"-tags=" + flags.tags}
	}
	programs, err := packages.Load(config, flags.patterns...)
	if err != nil {
		return nil, err
	}
	if len(programs) == 0 {
		return nil, fmt.Errorf("%s matches no packages", strings.Join(flags.patterns, " "))
	}
	packages.Visit(programs, nil, func(p *packages.Package) {
		if err == nil && len(p.Errors) > 0 {
			err = loadError(p.Errors[0])
		}
	})
	return programs, err
}

// loadError leaves out a place that is none.
func loadError(e packages.Error) error {
	if e.Pos == "" || e.Pos == "-" {
		return errors.New(e.Msg)
	}
	return e
}

// examine adds the gaps of a package. A package that has tests is there twice.
func (r *gapReport) examine(p *packages.Package, reached *reach.Reach) {
	folder := toolexec.FolderPath(p.ID)
	lines := reached.In(p.Fset, p.Syntax)
	for _, g := range source.Examine(source.Checked{
		Path: p.PkgPath, Folder: folder, Dir: dirOf(p), Fset: p.Fset, Files: p.Syntax, Types: p.Types, Info: p.TypesInfo,
		Keep: func(f *ast.File) bool { return !isUsers(p, f) },
	}, rules...) {
		r.list = append(r.list, g)
		r.reached[g] = r.reached[g] || lines.Reached(strings.TrimPrefix(g.File, folder+"/"), g.Line)
	}
}

// isUsers reports whether a file is one of the user's, or made of one: what cgo writes is in the go command's cache, under another name,
// and says what it was made of.
func isUsers(p *packages.Package, f *ast.File) bool {
	name, origin := p.Fset.File(f.FileStart).Name(), filepath.Base(p.Fset.PositionFor(f.Package, true).Filename)
	return slices.ContainsFunc(p.GoFiles, func(file string) bool { return file == name || filepath.Base(file) == origin })
}

// dirOf is the folder of a package's sources.
func dirOf(p *packages.Package) string {
	for _, file := range slices.Concat(p.GoFiles, p.CompiledGoFiles) {
		return filepath.Dir(file)
	}
	return ""
}

func unitOf(p *packages.Package, goroot string) toolexec.Unit {
	path, _, _ := strings.Cut(p.ID, " ")
	dir := dirOf(p)
	return toolexec.Unit{
		Path: path, Dirs: []string{dir},
		Standard: p.Module == nil && strings.HasPrefix(dir, filepath.Join(goroot, "src")+string(filepath.Separator)),
	}
}

// selectionHere is the selection that the wrapper would make in this folder.
func selectionHere(ctx context.Context) (toolexec.Selection, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "-json", "GOMODCACHE").Output()
	if err != nil {
		return toolexec.Selection{}, fmt.Errorf("go env: %w", err)
	}
	settings := map[string]string{}
	if err := json.Unmarshal(out, &settings); err != nil {
		return toolexec.Selection{}, fmt.Errorf("go env: %w", err)
	}
	return toolexec.SelectionOf(func(name string) string {
		if value, ok := settings[name]; ok {
			return value
		}
		return os.Getenv(name)
	}), nil
}
