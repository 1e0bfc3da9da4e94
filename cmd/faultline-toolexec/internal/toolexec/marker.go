// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"github.com/hmdsefi/faultline/prepare"
)

// marked are the tools whose version line carries the marker: the ones whose output depends on the wrapper.
// The assembler reads nothing that the wrapper changes but the header that the compiler writes in the same
// build action, and that action's ID holds the compiler's version line.
var marked = map[string]bool{"compile": true, "link": true}

// outputVariables are the environment variables that change what the wrapper makes of a package.
var outputVariables = []string{stdVariable, depsVariable}

// sources is the code that decides how prepared sources get into a build.
//
//go:embed *.go
var sources embed.FS

// mark answers -V=full. The go command makes the line part of the ID of everything that the tool builds; of a
// development version it takes only what follows the last slash of the last field.
//
// The marker hashes what decides the output, and not the wrapper's binary: that differs between go install, go tool
// and go run of one version, which are to share what they build.
//
// The go command asks the compiler first, and nobody else if that fails: an unknown setting is said once.
func (w Wrapper) mark(tool, name string) error {
	if name == "compile" && os.Getenv(prepare.EntryVariable) == "" {
		if err := CheckSettings(context.Background(), goroot(tool), "."); err != nil {
			return err
		}
	}
	e, err := w.entry(tool)
	if err != nil {
		return err
	}
	if err := e.Verify(); err != nil {
		return withCure(err)
	}
	e.Touch()
	cmd := exec.Command(tool, "-V=full")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s -V=full: %w", tool, err)
	}
	line := strings.TrimSpace(string(out))
	marker, err := w.marker(line, e.Hash())
	if err != nil {
		return err
	}
	_, err = fmt.Printf("%s +faultline buildID=_/_/_/%s\n", line, marker)
	return err
}

// marker hashes the tool's own line, the content of the entry, and whatever else changes a tool's output.
func (w Wrapper) marker(line, entry string) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n", line, entry, w.Seam)
	for _, name := range outputVariables {
		fmt.Fprintf(h, "%s=%q\n", name, os.Getenv(name))
	}
	err := fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := sources.ReadFile(name)
		fmt.Fprintf(h, "%s %x\n", name, sha256.Sum256(text))
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:16]), err
}
