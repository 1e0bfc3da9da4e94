// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Resolve returns the directory that a word of a command line means. A path that
// exists means itself; a file means the directory that it is in. Otherwise the word
// is a seed, decimal or 0x and hexadecimal digits, or the name of an artifact
// directory, its 16 hexadecimal digits, and means the artifact of that seed below root: of
// the test whose artifact near is, unless that is empty, else of the only test that
// has one.
func Resolve(word, root, near string) (string, error) {
	info, err := os.Stat(word)
	switch {
	case err == nil && info.IsDir():
		return word, nil
	case err == nil:
		return filepath.Dir(word), nil
	}
	names := seedNames(word)
	if len(names) == 0 {
		return "", fmt.Errorf("%s: there is no such directory, and it is no seed: a seed is decimal, or 0x and hexadecimal digits", word)
	}
	if near != "" {
		for _, name := range names {
			if dir := filepath.Join(filepath.Dir(filepath.Clean(near)), name); isDir(dir) {
				return dir, nil
			}
		}
	}
	places, err := Places(root)
	if err != nil {
		return "", err
	}
	places = slices.DeleteFunc(places, func(dir string) bool { return !slices.Contains(names, filepath.Base(dir)) })
	switch len(places) {
	case 0:
		return "", fmt.Errorf("%s: no artifact of that seed below %s", word, root)
	case 1:
		return places[0], nil
	}
	return "", fmt.Errorf("%s: several tests have an artifact of that seed; name one:\n  %s", word, strings.Join(places, "\n  "))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// seedNames returns what the directory of a seed may be called.
func seedNames(word string) (names []string) {
	if seedName.MatchString(word) {
		names = append(names, word)
	}
	digits, base := word, 10
	if hex, ok := strings.CutPrefix(strings.ToLower(word), "0x"); ok {
		digits, base = hex, 16
	}
	if seed, err := strconv.ParseUint(digits, base, 64); err == nil {
		names = append(names, fmt.Sprintf("%016x", seed))
	}
	return names
}
