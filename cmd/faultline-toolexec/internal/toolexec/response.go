// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"os"
	"strings"
)

// argumentLimit is the length of a command line, in bytes, from which on arguments go into a response file. The
// go command has the same limit, which Windows dictates.
const argumentLimit = 30 << 10

var (
	encode = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	decode = strings.NewReplacer(`\\`, `\`, `\n`, "\n")
)

// expandResponse puts the lines of response files, written @file, in their place.
func expandResponse(args []string) ([]string, error) {
	var expanded []string
	for _, arg := range args {
		name, ok := strings.CutPrefix(arg, "@")
		if !ok {
			expanded = append(expanded, arg)
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			expanded = append(expanded, decode.Replace(strings.TrimRight(line, "\r\n")))
		}
	}
	return expanded, nil
}

// shorten writes arguments that are too long for a command line into the file and returns a reference to it.
func shorten(args []string, file string) ([]string, error) {
	total := 0
	var text strings.Builder
	for _, arg := range args {
		total += len(arg)
		text.WriteString(encode.Replace(arg) + "\n")
	}
	if total <= argumentLimit {
		return args, nil
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		return nil, err
	}
	return []string{"@" + file}, nil
}
