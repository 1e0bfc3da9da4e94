// SPDX-License-Identifier: MPL-2.0

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

const modulePath = "github.com/hmdsefi/faultline/cmd/faultline-toolexec"

// identity tells the wrapper from any other that could build different programs. A released wrapper is known by
// the checksums of its modules, so that `go install`, `go tool` and `go run` of one version share what is
// prepared and built. One that is built from a working tree is known by the content of its binary.
func identity() (string, error) {
	if info, ok := debug.ReadBuildInfo(); ok {
		if sums, ok := moduleSums(info); ok {
			return hash(strings.NewReader(sums))
		}
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	binary, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer binary.Close()
	return hash(binary)
}

// moduleSums lists the modules that the wrapper is made of with their checksums, and the Go version that built
// it; ok is false if one has no checksum.
func moduleSums(info *debug.BuildInfo) (sums string, ok bool) {
	lines := []string{info.GoVersion}
	for _, m := range modules(info) {
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Sum == "" {
			return "", false
		}
		lines = append(lines, m.Path+" "+m.Version+" "+m.Sum)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n"), true
}

// modules are those that the wrapper is made of. The main module is not one of them when another module builds
// the wrapper as its tool.
func modules(info *debug.BuildInfo) []*debug.Module {
	if info.Main.Path == modulePath {
		return append([]*debug.Module{&info.Main}, info.Deps...)
	}
	return info.Deps
}

// version is the version of the wrapper, "(devel)" if it was built from a working tree.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range modules(info) {
			if m.Path == modulePath && m.Version != "" {
				return m.Version
			}
		}
	}
	return "(devel)"
}

func hash(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
