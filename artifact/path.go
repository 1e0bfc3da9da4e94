// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// RootVariable names the environment variable that says where artifacts go.
const RootVariable = "FAULTLINE_ARTIFACTS"

// Off is the value of RootVariable for no artifacts.
const Off = "off"

// Root returns the directory that artifacts go below for a value of RootVariable:
// faultline-<uid> in the temporary directory for an empty one, none for Off.
func Root(setting string) string {
	switch setting {
	case Off:
		return ""
	case "":
		return filepath.Join(os.TempDir(), fmt.Sprintf("faultline-%d", os.Getuid()))
	}
	if abs, err := filepath.Abs(setting); err == nil {
		return abs
	}
	return setting
}

// Dir returns the artifact directory of a seed below root:
// <root>/<package>/<test>/<seed as 16 hex digits>, the two names made fit for a
// file system by Mangle.
func Dir(root, pkg, test string, seed uint64) string {
	return filepath.Join(root, Mangle(pkg), Mangle(test), fmt.Sprintf("%016x", seed))
}

// maxName is what a mangled name may have before its hash.
const maxName = 100

var (
	plainName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]*(/[A-Za-z0-9.-]+)*$`)
	hashedName = regexp.MustCompile(`-[0-9a-f]{8}$`)
	reserved   = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
	unfit      = regexp.MustCompile(`[^A-Za-z0-9._-]`)
)

// Mangle turns an import path or the name of a test into one file name, with '_'
// for each slash. Letters, digits, '.' and '-' stay. A name with anything else,
// an underscore included, or one that a file system could not take, gets a hash
// of the original behind it, so that no two names share a file name.
func Mangle(name string) string {
	if isPlain(name) {
		return strings.ReplaceAll(name, "/", "_")
	}
	sum := sha256.Sum256([]byte(name))
	fit := unfit.ReplaceAllString(name, "_")
	fit = strings.TrimLeft(fit[:min(len(fit), maxName)], ".-")
	return fit + "-" + hex.EncodeToString(sum[:4])
}

func isPlain(name string) bool {
	return len(name) <= maxName && plainName.MatchString(name) && !strings.HasSuffix(name, ".") &&
		!hashedName.MatchString(name) && !reserved.MatchString(name)
}
