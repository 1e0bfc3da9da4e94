// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"os"
	"path/filepath"
	"strings"
)

// Package is a compilation as the rules that rewrite users' sources see it.
type Package struct {
	Path         string
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

// points puts the rewritten sources of a package in the place of the user's. They stand below the object, under their own names,
// and say themselves which files they were made from.
func (w Wrapper) points(line *commandLine) error {
	changed, added, err := w.Rewrite(Package{
		Path:         line.value("-p"),
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
