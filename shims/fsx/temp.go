// SPDX-License-Identifier: MPL-2.0

package fsx

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"
)

// maxTemp bounds the attempts to find a free name.
const maxTemp = 10000

// mkdirTemp makes a directory with a name from draw.
func mkdirTemp(dir, pattern string, draw func() uint64, mkdir func(string) error) (string, error) {
	if strings.Contains(pattern, "/") {
		return "", &fs.PathError{Op: "mkdirtemp", Path: pattern, Err: syscall.EINVAL}
	}
	before, after := pattern, ""
	if i := strings.LastIndexByte(pattern, '*'); i >= 0 {
		before, after = pattern[:i], pattern[i+1:]
	}
	for range maxTemp {
		name := path.Join(dir, before+strconv.FormatUint(draw()>>32, 10)+after)
		err := mkdir(name)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	return "", &fs.PathError{Op: "mkdirtemp", Path: path.Join(dir, pattern), Err: syscall.EEXIST}
}
