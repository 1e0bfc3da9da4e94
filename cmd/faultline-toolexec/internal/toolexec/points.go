// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Package is a compilation as the rules that rewrite users' sources see it.
type Package struct {
	Path         string // as the flag -p has it
	Folder       string // import path of the folder of its sources
	Dir          string // that folder
	Lang         string // as the flag -lang has it
	Files        []string
	ImportConfig string // the file of the flag -importcfg
}

// Generated reports whether a source is none of the user's and has to stay as it is.
func Generated(source string) bool {
	name := filepath.Base(source)
	return strings.HasPrefix(name, "_cgo_") || strings.HasPrefix(name, "_testmain.") || name == "covervars.go"
}

// addedSource is the name of the file that a rewritten package gets. No file of a user's package begins like this, since the go
// command leaves such files out.
const addedSource = "_faultline.go"

// importPath is the import path of a compilation: the compiler itself gets main for a command.
func importPath(line *commandLine) string {
	path, _, _ := strings.Cut(os.Getenv("TOOLEXEC_IMPORTPATH"), " ")
	return cmp.Or(path, line.value("-p"))
}

// FolderPath is the import path of the folder of a package. The go command calls the tests of p that are a package of their own
// "p_test [p.test]".
func FolderPath(id string) string {
	path, variant, _ := strings.Cut(id, " ")
	if folder, ok := strings.CutSuffix(path, "_test"); ok && variant == "["+folder+".test]" {
		return folder
	}
	return path
}

// unit is what the selection wants to know of a compilation.
func unit(line *commandLine) Unit {
	return Unit{Path: importPath(line), Dirs: sourceDirs(line), Standard: line.has("-std")}
}

// sourceDirs are the folders of a package's sources. The objdir has generated ones only, which name what they were made from.
func sourceDirs(line *commandLine) (dirs []string) {
	objdir := filepath.Dir(line.value("-o"))
	add := func(dir string) {
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, source := range line.sources {
		if filepath.Dir(source) != objdir {
			add(filepath.Dir(source))
		}
	}
	if len(dirs) > 0 {
		return dirs
	}
	for _, source := range line.sources {
		text, err := os.ReadFile(source)
		if m := lineDirective.FindSubmatch(text); err == nil && m != nil && filepath.IsAbs(string(m[1])) {
			add(filepath.Dir(string(m[1])))
		}
	}
	add(objdir)
	return dirs
}

// points puts the rewritten sources of a package in the place of the user's. They stand below the object, under their own names,
// and say themselves which files they were made from.
func (w Wrapper) points(line *commandLine) error {
	changed, added, err := w.Rewrite(Package{
		Path:         line.value("-p"),
		Folder:       cmp.Or(FolderPath(os.Getenv("TOOLEXEC_IMPORTPATH")), line.value("-p")),
		Dir:          sourceDirs(line)[0],
		Lang:         line.value("-lang"),
		Files:        line.sources,
		ImportConfig: line.value("-importcfg"),
	})
	if err != nil || len(changed) == 0 && added == nil {
		return err
	}
	dir := filepath.Join(filepath.Dir(line.value("-o")), "faultline")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	write := func(name string, text []byte) (file string, err error) {
		file = filepath.Join(dir, name)
		return file, os.WriteFile(file, text, 0o666)
	}
	for i, source := range line.sources {
		if text, ok := changed[source]; ok {
			if line.sources[i], err = write(filepath.Base(source), text); err != nil {
				return err
			}
		}
	}
	file, err := write(addedSource, added)
	line.sources = append(line.sources, file)
	return err
}
