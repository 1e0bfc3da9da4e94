// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/prepare"
)

// compile returns the arguments with which the compiler is to run.
func (w Wrapper) compile(tool string, args []string) ([]string, error) {
	expanded, err := expandResponse(args)
	if err != nil {
		return nil, err
	}
	line := parseCommandLine(expanded)
	object := line.value("-o")
	if len(line.sources) == 0 || object == "" { // -h, -V and the like
		return args, nil
	}
	substitute := w.module
	if line.has("-std") {
		substitute = func(line *commandLine) error { return w.standard(tool, line) }
	}
	if err := substitute(&line); err != nil {
		return nil, err
	}
	if SelectionOf(os.Getenv).Has(unit(&line)) {
		if err := w.points(&line); err != nil {
			return nil, err
		}
	}
	return shorten(line.args(), filepath.Join(filepath.Dir(object), "faultline.args"))
}

// standard puts the prepared sources into the compilation of a package of the standard library. The import path
// that the compiler gets is the same in every variant of a package that the go command builds.
func (w Wrapper) standard(tool string, line *commandLine) error {
	e, err := w.entry(tool)
	if err != nil {
		return err
	}
	prepared, ok, err := e.Sources(line.value("-p"))
	if !ok || err != nil {
		return withCure(err)
	}
	return usePrepared(line, prepared)
}

// usePrepared replaces the toolchain's sources by the prepared ones and adds those that it does not have.
func usePrepared(line *commandLine, prepared prepare.Sources) error {
	for i, source := range line.sources {
		name, covered := originalName(source)
		if !slices.Contains(prepared.Replaced, name) {
			continue
		}
		if !covered && filepath.Dir(source) != prepared.Dir {
			return fmt.Errorf("package %s is compiled from %s, but only the toolchain's own %s is prepared",
				line.value("-p"), source, filepath.Join(prepared.Dir, name))
		}
		line.sources[i] = filepath.Join(prepared.EntryDir, name)
	}
	for _, name := range prepared.Added {
		line.sources = append(line.sources, filepath.Join(prepared.EntryDir, name))
	}
	line.set("-trimpath", trimPrepared(line.value("-trimpath"), line.value("-p"), prepared))
	return nil
}

// trimPrepared makes prepared sources appear where the toolchain's own are, so that neither stack traces nor
// objects depend on where the entry is. The compiler itself writes its GOROOT as $GOROOT.
func trimPrepared(rewrites, path string, prepared prepare.Sources) string {
	to := filepath.Join("$GOROOT", "src", filepath.FromSlash(path))
	for rewrite := range strings.SplitSeq(rewrites, ";") {
		if dir, target, ok := strings.Cut(rewrite, "=>"); ok && dir == prepared.Dir {
			to = target
		}
	}
	return prepared.EntryDir + "=>" + to + ";" + rewrites
}

// module replaces the files of a module's package that have a replacement. The new files stand beside the object,
// in a directory that the go command removes and whose name it keeps out of objects.
func (w Wrapper) module(line *commandLine) error {
	path := line.value("-p")
	for i, source := range line.sources {
		name, covered := originalName(source)
		replacement, ok := w.Replace(path, name)
		if !ok {
			continue
		}
		original, err := readOriginal(source, covered)
		if err != nil {
			return err
		}
		if !bytes.Equal(original, replacement.Original) {
			return w.otherVersion(path, source)
		}
		file := filepath.Join(filepath.Dir(line.value("-o")), "faultline_"+name)
		if err := os.WriteFile(file, replacement.Content, 0o644); err != nil {
			return err
		}
		line.sources[i] = file
	}
	return nil
}

// originalName is the name of the file that a source was made from. With -cover the go command hands over
// instrumented copies: x.cover.go of x.go.
func originalName(source string) (name string, covered bool) {
	name = filepath.Base(source)
	if stem, ok := strings.CutSuffix(name, ".cover.go"); ok {
		return stem + ".go", true
	}
	return name, false
}

var lineDirective = regexp.MustCompile(`^//line (.+):1:1\n`)

// readOriginal reads a source; of an instrumented copy, the file that its first line names.
func readOriginal(source string, covered bool) ([]byte, error) {
	content, err := os.ReadFile(source)
	if err != nil || !covered {
		return content, err
	}
	m := lineDirective.FindSubmatch(content)
	if m == nil {
		return content, nil
	}
	return os.ReadFile(string(m[1]))
}

var versionInPath = regexp.MustCompile(`@(v[0-9][^/\\]*)`)

// otherVersion is the error of a module and a wrapper that do not belong together, with the cure.
func (w Wrapper) otherVersion(path, source string) error {
	has, install := "another version", "the wrapper from the module's own checkout"
	if m := versionInPath.FindStringSubmatch(source); m != nil {
		has, install = m[1], "github.com/hmdsefi/faultline/cmd/faultline-toolexec@"+m[1]
	}
	return fmt.Errorf("%s is of %s, but this wrapper is %s; install the one that belongs to the module "+
		"(go install %s) and run: faultline-toolexec prepare", path, has, w.Version, install)
}
