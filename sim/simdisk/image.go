// SPDX-License-Identifier: MPL-2.0

package simdisk

import "github.com/hmdsefi/faultline/sim/kernel"

// image is the content of a file as somebody sees it: its readers, or the medium.
type image struct {
	data []byte
	mod  kernel.Time // time of the last change
}

// change is one write or truncation of a file.
type change struct {
	at       kernel.Time
	truncate bool
	off      int64  // of the write, or the size to truncate to
	data     []byte // what is written
	stray    bool   // the medium put it elsewhere than it was meant for
}

// end returns the offset behind the change.
func (c change) end() int64 { return c.off + int64(len(c.data)) }

func (im *image) size() int64 { return int64(len(im.data)) }

// apply makes the change. A write beyond the end leaves a gap of zeros.
func (im *image) apply(c change) {
	im.mod = c.at
	if c.truncate {
		im.resize(c.off)
		return
	}
	im.resize(max(im.size(), c.end()))
	copy(im.data[c.off:], c.data)
}

func (im *image) resize(size int64) {
	if size <= im.size() {
		im.data = im.data[:size]
		return
	}
	im.data = append(im.data, make([]byte, size-im.size())...)
}

// copyOf returns an image that shares nothing with im.
func (im *image) copyOf() image {
	return image{data: append([]byte(nil), im.data...), mod: im.mod}
}
