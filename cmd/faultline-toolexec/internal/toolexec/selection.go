// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Environment variables that add packages to those which get scheduling points: comma-separated import paths of the standard
// library, and paths of modules in the module cache or in a vendor folder. Three dots stand for anything, as in go list.
const (
	stdVariable  = "FAULTLINE_TOOLEXEC_STD"
	depsVariable = "FAULTLINE_TOOLEXEC_DEPS"
)

// Selection decides which packages are rewritten: by the folders of their sources and by their modules.
type Selection struct {
	moduleCache string
	std, deps   patterns
}

// SelectionOf is the selection that environment variables ask for. The go command tells its tools all of its settings, also those
// that are no variables of its own environment.
func SelectionOf(getenv func(string) string) Selection {
	return Selection{
		moduleCache: getenv("GOMODCACHE"),
		std:         patternsOf(getenv(stdVariable)),
		deps:        patternsOf(getenv(depsVariable)),
	}
}

// Unit is a package that is or is not rewritten.
type Unit struct {
	Path     string   // import path
	Dirs     []string // the folders that its sources are in: several if some have an overlay
	Standard bool     // it is one of GOROOT
}

// Has reports whether a package gets scheduling points: one that is neither in GOROOT, nor in the module cache, nor vendored from
// there, or that a variable names. The seam, and what drives it, never do.
func (s Selection) Has(u Unit) bool {
	if u.Standard {
		return !under(u.Path, seamParts) && s.std.match(u.Path)
	}
	if u.Path == root || under(u.Path, driverParts) { // not under the root: what else is there is like a user's
		return false
	}
	module, dependency := s.dependency(u)
	return !dependency || s.deps.match(module)
}

// seamParts are the packages that a scheduling point is made of, with those below them.
var seamParts = []string{
	"internal/abi", "internal/asan", "internal/bytealg", "internal/byteorder", "internal/chacha8rand", "internal/coverage",
	"internal/cpu", "internal/goarch", "internal/godebugs", "internal/goexperiment", "internal/goos", "internal/msan",
	"internal/profilerecord", "internal/race", "internal/runtime", "internal/stringslite", "internal/strconv", "internal/sync",
	"internal/synctest", "internal/trace/tracev2", "runtime", "sync", "testing/synctest", "unsafe",
}

const root = "github.com/hmdsefi/faultline"

// driverParts are faultline's own, with those below them: its driver has no goroutine to switch to, and its strategies run where none
// may be.
var driverParts = []string{
	root + "/artifact", root + "/gaps", root + "/internal", root + "/prepare", root + "/rewrite", root + "/runtime", root + "/sched",
	root + "/shims", root + "/sim",
}

// under reports whether a package is one of a list, or below one.
func under(importPath string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return importPath == p || strings.HasPrefix(importPath, p+"/") })
}

// dependency returns the module of a package, if it is one of the module cache, also by way of a vendor folder.
func (s Selection) dependency(u Unit) (module string, ok bool) {
	for _, dir := range u.Dirs {
		dir = filepath.ToSlash(dir)
		if s.moduleCache != "" {
			if below, ok := strings.CutPrefix(dir, filepath.ToSlash(filepath.Clean(s.moduleCache))+"/"); ok {
				return cachedModule(below), true
			}
		}
		if above, ok := strings.CutSuffix(dir, "/vendor/"+u.Path); ok {
			if list, err := os.ReadFile(above + "/vendor/modules.txt"); err == nil {
				return vendoredModule(string(list), u.Path)
			}
		}
	}
	return "", false
}

var upperCase = regexp.MustCompile(`![a-z]`)

// cachedModule is the module of a folder in the module cache, which is named by module and version. The cache writes an
// upper-case letter as an exclamation mark and the lower-case one.
func cachedModule(dir string) string {
	module, _, _ := strings.Cut(dir, "@")
	return upperCase.ReplaceAllStringFunc(module, func(s string) string { return strings.ToUpper(s[1:]) })
}

// vendoredModule looks a package up in a vendor folder's list, where packages follow their module. One that a folder replaces is
// no dependency, as it is none without a vendor folder.
func vendoredModule(list, importPath string) (module string, ok bool) {
	local := false
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		switch {
		case len(fields) > 1 && fields[0] == "#":
			module = fields[1]
			local = len(fields) > 3 && fields[len(fields)-2] == "=>" // a path without a version
		case len(fields) == 1 && fields[0] == importPath:
			return module, !local
		}
	}
	return importPath, true
}
