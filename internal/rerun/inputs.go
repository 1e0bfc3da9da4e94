// SPDX-License-Identifier: MPL-2.0

package rerun

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
)

// inputsName is the file in which package testing notes what a test reads.
const inputsName = "inputs"

// Cached reports whether the go command keeps the result of this process, and so
// wants to know what its tests read.
func Cached() bool {
	f := flag.Lookup("test.testlogfile")
	return f != nil && f.Value.String() != ""
}

// NoteInputs reads, in this process, what a process with Command.Inputs has read. It
// may be called once the process has ended.
func (p *Process) NoteInputs() {
	text, err := os.ReadFile(p.File(inputsName))
	if err != nil {
		return // the process has died
	}
	noteInputs(string(text), startDir)
}

// noteInputs goes through a log of package testing, whose lines are a verb and a name.
func noteInputs(log, dir string) {
	for line := range strings.Lines(log) {
		verb, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		switch verb {
		case "getenv":
			os.Getenv(name)
		case "chdir":
			dir = path
		case "stat":
			os.Stat(path)
		case "open":
			if f, err := os.Open(path); err == nil {
				f.Close()
			}
		}
	}
}
