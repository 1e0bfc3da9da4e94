// SPDX-License-Identifier: MPL-2.0

package source

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// ImportConfig reads the file that the compiler gets with -importcfg and returns a Job's Lookup.
func ImportConfig(file string) (func(path string) (io.ReadCloser, error), error) {
	mapped, packages := map[string]string{}, map[string]string{}
	tables := map[string]map[string]string{"importmap": mapped, "packagefile": packages}
	if file != "" { // a package without imports may have none
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			verb, args, _ := strings.Cut(strings.TrimSpace(line), " ")
			key, value, ok := strings.Cut(args, "=")
			if table := tables[verb]; table != nil && ok {
				table[strings.TrimSpace(key)] = strings.TrimSpace(value)
			}
		}
	}
	return func(path string) (io.ReadCloser, error) {
		if to, ok := mapped[path]; ok {
			path = to
		}
		name, ok := packages[path]
		if !ok {
			return nil, fmt.Errorf("package %s is not among the imports of the compilation", path)
		}
		return os.Open(name)
	}, nil
}
