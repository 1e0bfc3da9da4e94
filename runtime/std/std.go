// SPDX-License-Identifier: MPL-2.0

// Package std owns the source files that join packages of the standard library in a build through the wrapper: the state of
// an exact run, its token and its values. They are text here, since they compile only inside those packages; package
// rewrite/seam adds them there. It must not know how that is done.
package std

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed runtime sync internal crypto hash
var files embed.FS

// Plain is the file plain.go of package github.com/hmdsefi/faultline/runtime that Seam takes the place of. A module whose file
// is another one belongs to another version of the wrapper.
//
//go:embed faultline/plain.go.txt
var Plain []byte

// Seam takes the place of Plain in a build through the wrapper: it reaches the functions that Added declares.
//
//go:embed faultline/seam.go.txt
var Seam []byte

// GapsPlain is the file plain.go of package github.com/hmdsefi/faultline/gaps, and GapsSeam what takes its place.
var (
	//go:embed faultline/gaps_plain.go.txt
	GapsPlain []byte
	//go:embed faultline/gaps_seam.go.txt
	GapsSeam []byte
)

// Added returns the files by the path that they get below GOROOT/src, for instance "runtime/zfaultline_token.go".
func Added() map[string][]byte {
	added := map[string][]byte{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(name)
		dir, base := path.Split(name)
		added[dir+"zfaultline_"+strings.TrimSuffix(base, ".txt")] = text
		return err
	})
	if err != nil {
		panic(err) // an embedded file system has no errors of its own
	}
	return added
}
