// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"io/fs"
	"time"
)

// info is a fs.FileInfo: what Stat and ReadDir tell about a file.
type info struct {
	name string
	size int64
	mode fs.FileMode
	mod  time.Time
}

func (ino *inode) info(name string) info {
	return info{name: name, size: ino.live.size(), mode: ino.mode, mod: ino.live.mod.Wall()}
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.mod }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
func (i info) String() string     { return fs.FormatFileInfo(i) }
