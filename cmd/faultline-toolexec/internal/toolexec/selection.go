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

// selected reports whether the package of a compilation gets scheduling points: one that is neither in GOROOT, nor in the module
// cache, nor vendored, or that a variable names. The seam, and what drives it, never do.
func selected(line *commandLine) bool {
	path := line.value("-p")
	switch {
	case len(line.sources) == 0 || under(path, untouchable):
		return false
	case line.has("-std"):
		return named(stdVariable, path)
	}
	module, dependency := dependencyOf(packageDir(line), path)
	return !dependency || named(depsVariable, module)
}

// untouchable are the packages that a scheduling point is made of, those below it, and faultline's own: its driver has no
// goroutine to switch to, and its strategies run where none may be.
var untouchable = []string{
	"internal/abi", "internal/asan", "internal/bytealg", "internal/byteorder", "internal/chacha8rand", "internal/coverage",
	"internal/cpu", "internal/goarch", "internal/godebugs", "internal/goexperiment", "internal/goos", "internal/msan",
	"internal/profilerecord", "internal/race", "internal/runtime", "internal/stringslite", "internal/strconv", "internal/sync",
	"internal/synctest", "internal/trace/tracev2", "runtime", "sync", "testing/synctest", "unsafe",
	root + "/artifact", root + "/gaps", root + "/prepare", root + "/rewrite", root + "/runtime", root + "/sched",
	root + "/shims", root + "/sim",
}

const root = "github.com/hmdsefi/faultline"

// under reports whether a package is one of a list, or below one. The root package is in no list, since what is below it is the
// user's as well.
func under(importPath string, list []string) bool {
	return importPath == root || slices.ContainsFunc(list, func(p string) bool {
		return importPath == p || strings.HasPrefix(importPath, p+"/")
	})
}

// packageDir is the folder of a package's sources. The objdir has generated ones only, which name what they were made from.
func packageDir(line *commandLine) string {
	objdir := filepath.Dir(line.value("-o"))
	for _, source := range line.sources {
		if filepath.Dir(source) != objdir {
			return filepath.Dir(source)
		}
	}
	for _, source := range line.sources {
		text, err := os.ReadFile(source)
		if m := lineDirective.FindSubmatch(text); err == nil && m != nil && filepath.IsAbs(string(m[1])) {
			return filepath.Dir(string(m[1]))
		}
	}
	return objdir
}

// dependencyOf returns the module that a folder belongs to, if it is one of the module cache or of a vendor folder.
func dependencyOf(dir, importPath string) (module string, ok bool) {
	dir = filepath.ToSlash(dir)
	// The go command tells its tools all of its settings.
	if cache := os.Getenv("GOMODCACHE"); cache != "" {
		if below, ok := strings.CutPrefix(dir, filepath.ToSlash(filepath.Clean(cache))+"/"); ok {
			return cachedModule(below), true
		}
	}
	if before, _, ok := strings.Cut(dir, "/vendor/"); ok {
		return vendoredModule(before+"/vendor/modules.txt", importPath), true
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

// vendoredModule looks a package up in a vendor folder's list, where packages follow their module.
func vendoredModule(list, importPath string) string {
	text, err := os.ReadFile(list)
	if err != nil {
		return importPath
	}
	module := ""
	for text := range strings.Lines(string(text)) {
		text = strings.TrimSpace(text)
		if header, ok := strings.CutPrefix(text, "# "); ok {
			module, _, _ = strings.Cut(header, " ")
		} else if text == importPath {
			return module
		}
	}
	return importPath
}

// named reports whether a pattern in an environment variable matches a path.
func named(variable, name string) bool {
	return slices.ContainsFunc(strings.Split(os.Getenv(variable), ","), func(pattern string) bool {
		return matches(strings.TrimSpace(pattern), name)
	})
}

// matches is the match of the go command: x/... matches x too.
func matches(pattern, name string) bool {
	expression := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.\.\.`, `.*`)
	if strings.HasSuffix(expression, `/.*`) {
		expression = strings.TrimSuffix(expression, `/.*`) + `(/.*)?`
	}
	ok, err := regexp.MatchString(`^`+expression+`$`, name)
	return err == nil && ok && pattern != ""
}
