// SPDX-License-Identifier: MPL-2.0

// Package seam owns the rules that put faultline's hooks into the packages of the standard library that decide the order of
// goroutines: it turns the sources of a toolchain into sources with hooks. It must not know how they are compiled, cached or
// used. The hooks themselves are in package runtime/std of the root module.
package seam

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/hmdsefi/faultline/runtime/std"
)

// Result is a rewritten set of sources.
type Result struct {
	Version string            // of the toolchain, for instance "go1.26.8"
	Files   map[string][]byte // by path below GOROOT/src, the changed ones and the added ones
	Added   map[string]bool   // the paths in Files that the toolchain does not have
	Applied []Applied         // in the order of the rules
}

// Applied tells how often a rule applied.
type Applied struct {
	Rule  string // what the rule changes
	File  string // path below GOROOT/src
	Count int
}

// MismatchError reports a toolchain whose sources are not what a rule expects. Nothing of such a toolchain is used.
type MismatchError struct {
	Version string
	Rule    string
	File    string
	Want    int
	Got     int
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("the sources of %s are not known: rule %q must apply %d times in %s, but applies %d times (known toolchains: %s)",
		e.Version, e.Rule, e.Want, e.File, e.Got, strings.Join(Known, ", "))
}

// Known names the releases whose sources the rules were written for and tested with, oldest first.
var Known = []string{"go1.26", "go1.27"}

// releaseOf gives the release that a version such as "go1.26.8" belongs to, or else the newest known one.
func releaseOf(version string) (release string, known bool) {
	for _, release := range Known {
		rest, ok := strings.CutPrefix(version, release)
		if ok && (rest == "" || rest[0] < '0' || rest[0] > '9') {
			return release, true
		}
	}
	return Known[len(Known)-1], false
}

// Apply rewrites the sources of the toolchain at goroot. A toolchain that a rule does not fit is refused with a
// [*MismatchError]; the error of a missing or unreadable file names it.
func Apply(goroot string) (*Result, error) {
	version, err := readVersion(goroot)
	if err != nil {
		return nil, err
	}
	r := &Result{Version: version, Files: map[string][]byte{}, Added: map[string]bool{}}
	release, known := releaseOf(version)
	for _, group := range groupByFile(rulesFor(release)) {
		if err := r.rewriteFile(goroot, group); err != nil {
			return nil, err
		}
	}
	if !known {
		return nil, fmt.Errorf("%s is not a known release, although every rule for %s applies to it (known toolchains: %s)",
			version, release, strings.Join(Known, ", "))
	}
	for name, text := range std.Added() {
		r.Files[name], r.Added[name] = text, true
	}
	return r, nil
}

// groupByFile gives the rules of each file, in the order of the first one of a file.
func groupByFile(rules []rule) [][]rule {
	var groups [][]rule
	index := map[string]int{}
	for _, rule := range rules {
		i, ok := index[rule.file]
		if !ok {
			i = len(groups)
			index[rule.file] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], rule)
	}
	return groups
}

func (r *Result) rewriteFile(goroot string, rules []rule) error {
	name := rules[0].file
	path := filepath.Join(goroot, "src", filepath.FromSlash(name))
	source, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("sources of %s: %w", r.Version, err)
	}
	file, err := parseFile(name, source)
	if err != nil {
		return fmt.Errorf("sources of %s: %w", r.Version, err)
	}
	for _, rule := range rules {
		got := rule.apply(file)
		if got != rule.count {
			return &MismatchError{Version: r.Version, Rule: rule.name, File: name, Want: rule.count, Got: got}
		}
		r.Applied = append(r.Applied, Applied{Rule: rule.name, File: name, Count: got})
	}
	text, err := printFile(file)
	if err != nil {
		return fmt.Errorf("%s of %s after rewriting: %w", name, r.Version, err)
	}
	// Stack traces name the toolchain's file, as they do in a plain build.
	r.Files[name] = append([]byte("//line "+path+":1\n"), text...)
	return nil
}

// readVersion reads the first line of GOROOT/VERSION.
func readVersion(goroot string) (string, error) {
	text, err := os.ReadFile(filepath.Join(goroot, "VERSION"))
	if err != nil {
		return "", fmt.Errorf("toolchain: %w", err)
	}
	version, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(version), nil
}

// Fingerprint identifies the rules, the added files and the replacement. Two wrappers with one fingerprint rewrite a toolchain alike.
func Fingerprint() string {
	h := sha256.New()
	for _, rule := range rules {
		fmt.Fprintf(h, "%#v\n", rule)
	}
	added := std.Added()
	names := make([]string, 0, len(added))
	for name := range added {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(h, "%q %x\n", name, sha256.Sum256(added[name]))
	}
	fmt.Fprintf(h, "%x %x\n", sha256.Sum256(std.Seam), sha256.Sum256(std.GapsSeam))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

const (
	// RuntimePath is the import path of the package that reaches the seam from a test binary.
	RuntimePath = "github.com/hmdsefi/faultline/runtime"
	// GapsPath is the import path of the package that knows which constructs the wrapper left unchanged.
	GapsPath = "github.com/hmdsefi/faultline/gaps"
)

// replacements are the sources that take the place of others, by the import path of the package.
var replacements = map[string]struct{ text, want []byte }{
	RuntimePath: {std.Seam, std.Plain},
	GapsPath:    {std.GapsSeam, std.GapsPlain},
}

// Replacement gives the source to compile in place of a file of the package with this import path, and the content that the
// file must have for it. ok is false for files that stay.
func Replacement(importPath, base string) (text, want []byte, ok bool) {
	r, ok := replacements[importPath]
	if !ok || base != "plain.go" {
		return nil, nil, false
	}
	return r.text, r.want, true
}
