// SPDX-License-Identifier: MPL-2.0

package main

import (
	"os"
	"runtime"

	"github.com/hmdsefi/faultline/cmd/faultline-toolexec/internal/toolexec"
	"github.com/hmdsefi/faultline/rewrite/audit"
	"github.com/hmdsefi/faultline/rewrite/source"
	"github.com/hmdsefi/faultline/rewrite/source/atomics"
	"github.com/hmdsefi/faultline/rewrite/source/loops"
)

// rules are what packages of users are rewritten with, and what finds their gaps.
var rules = []source.Rule{atomics.Rule(), loops.Rule(), audit.Rule()}

// addPoints puts scheduling points into a package of a user.
func addPoints(p toolexec.Package) (changed map[string][]byte, added []byte, err error) {
	lookup, err := source.ImportConfig(p.ImportConfig)
	if err != nil {
		return nil, nil, err
	}
	r, err := source.Rewrite(source.Job{
		Path:   p.Path,
		Folder: p.Folder,
		Dir:    p.Dir,
		Lang:   p.Lang,
		Arch:   targetArch(),
		Files:  p.Files,
		Keep:   toolexec.Generated,
		Lookup: lookup,
	}, rules...)
	if err != nil {
		return nil, nil, err
	}
	return r.Files, r.Added, nil
}

// targetArch is the architecture that is built for. The go command passes it on when it is not the host's.
func targetArch() string {
	if arch := os.Getenv("GOARCH"); arch != "" {
		return arch
	}
	return runtime.GOARCH
}
