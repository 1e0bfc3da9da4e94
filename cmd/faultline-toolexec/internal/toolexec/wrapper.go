// SPDX-License-Identifier: MPL-2.0

// Package toolexec is what the go command runs instead of each tool of a build: it marks the tools whose output
// it changes, gives the compiler the prepared sources of the standard library, and passes everything else on.
//
// It writes nothing but errors: the go command keeps a tool's output with the object and shows it again and again.
// It must not know how sources are patched, nor how a toolchain is prepared.
package toolexec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hmdsefi/faultline/prepare"
)

// Wrapper stands between the go command and its tools.
type Wrapper struct {
	// Version of the wrapper, for messages, such as v0.2.0.
	Version string
	// Seam identifies what the wrapper patches and rewrites with.
	Seam string
	// Cache gives the prepared toolchains.  It is called only when a build needs one, since it costs time.
	Cache func() (prepare.Cache, error)
	// Replace gives what takes the place of a file of a module's package; ok is false for nearly every file.
	Replace func(importPath, base string) (r Replacement, ok bool)
	// Rewrite puts scheduling points into a package of a user.  It gives the new text of each file that changed, and of one
	// that the package needs with them; none if there is nothing to do.
	Rewrite func(Package) (changed map[string][]byte, added []byte, err error)
}

// Replacement is a file that takes the place of another.
type Replacement struct {
	Original []byte // the file that it was made for: another one belongs to another version
	Content  []byte
}

// Run does what the command line `TOOL ARGS...` asks for. Unless it fails, it does not return where the operating
// system can replace a process by another one; elsewhere it returns the exit code of the tool.
func (w Wrapper) Run(tool string, args []string) (int, error) {
	name := toolName(tool)
	switch {
	case tool == filepath.Base(tool): // a C compiler, or another program that is no tool of Go's
		return Execute(tool, args)
	case marked[name] && len(args) == 1 && args[0] == "-V=full":
		return 0, w.mark(tool, name)
	case name == "compile":
		changed, err := w.compile(tool, args)
		if err != nil {
			return 0, err
		}
		return Execute(tool, changed)
	}
	return Execute(tool, args)
}

// toolName is what the go command calls a tool.
func toolName(tool string) string { return strings.TrimSuffix(filepath.Base(tool), ".exe") }

// entry opens the prepared sources for the toolchain that a tool belongs to.
func (w Wrapper) entry(tool string) (*prepare.Entry, error) {
	tc, err := prepare.ToolchainAt(goroot(tool))
	if err != nil {
		return nil, err
	}
	dir := os.Getenv(prepare.EntryVariable)
	if dir == "" {
		cache, err := w.Cache()
		if err != nil {
			return nil, err
		}
		dir = cache.Path(tc)
	}
	e, err := prepare.OpenEntry(dir, tc)
	if errors.Is(err, prepare.ErrNotPrepared) {
		return nil, fmt.Errorf("%s is not prepared; run: faultline-toolexec prepare", tc.Version)
	}
	return e, withCure(err)
}

// withCure says what to do about a damaged entry.
func withCure(err error) error {
	if errors.Is(err, prepare.ErrDamaged) {
		return fmt.Errorf("%w; run: faultline-toolexec prepare", err)
	}
	return err
}

// goroot is the GOROOT of a tool: GOROOT/pkg/tool/linux_amd64/compile says it by its place, for any other the
// go command's environment says it.
func goroot(tool string) string {
	dir := filepath.Dir(filepath.Dir(tool))
	if parent := filepath.Dir(dir); filepath.Base(dir) == "tool" && filepath.Base(parent) == "pkg" {
		return filepath.Dir(parent)
	}
	return os.Getenv("GOROOT")
}
