// SPDX-License-Identifier: MPL-2.0

package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/hmdsefi/faultline/cmd/faultline-toolexec/internal/toolexec"
	"github.com/hmdsefi/faultline/prepare"
	"github.com/hmdsefi/faultline/rewrite/audit"
	"github.com/hmdsefi/faultline/rewrite/seam"
	"github.com/hmdsefi/faultline/rewrite/source"
)

// wrapper is what the go command's tools run through.
func wrapper() toolexec.Wrapper {
	return toolexec.Wrapper{
		Version: version(),
		Seam:    seam.Fingerprint() + " " + source.Fingerprint() + " " + audit.Fingerprint(),
		Cache:   cache,
		Replace: replace,
		Rewrite: addPoints,
	}
}

// cache is where the toolchains that this wrapper prepared are.
var cache = sync.OnceValues(func() (prepare.Cache, error) {
	dir, err := prepare.DefaultDir()
	if err != nil {
		return prepare.Cache{}, err
	}
	id, err := identity()
	if err != nil {
		return prepare.Cache{}, fmt.Errorf("cannot tell which wrapper this is: %w", err)
	}
	return prepare.Cache{Dir: dir, Identity: id + " " + seam.Fingerprint()}, nil
})

// applySeam patches the sources of a toolchain.
func applySeam(goroot string) (*prepare.Patch, error) {
	r, err := seam.Apply(goroot)
	if err != nil {
		return nil, err
	}
	patch := &prepare.Patch{Files: r.Files, Added: r.Added}
	for _, a := range r.Applied {
		patch.Rules = append(patch.Rules, prepare.Rule{Name: a.Rule, File: a.File, Count: a.Count})
	}
	return patch, nil
}

// replace gives the seam's replacement for a file of package runtime of the root module.
func replace(importPath, base string) (toolexec.Replacement, bool) {
	content, original, ok := seam.Replacement(importPath, base)
	return toolexec.Replacement{Original: original, Content: content}, ok
}

//go:embed selftest/*.txt
var selfTestFiles embed.FS

// selfTest is the module that proves a prepared toolchain. Its files are text here, since they link only where
// the seam is.
func selfTest() map[string][]byte {
	files := map[string][]byte{}
	names, err := fs.Glob(selfTestFiles, "selftest/*.txt")
	for _, name := range names {
		content, readErr := selfTestFiles.ReadFile(name)
		err = errors.Join(err, readErr)
		files[strings.TrimSuffix(path.Base(name), ".txt")] = content
	}
	if err != nil {
		panic(err) // an embedded file system has no errors of its own
	}
	return files
}
