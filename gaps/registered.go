// SPDX-License-Identifier: MPL-2.0

package gaps

import (
	"slices"
	"strings"
)

// Registered returns the gaps of the packages that this binary was built from,
// sorted and without duplicates: none in a build without the wrapper. It is
// safe for concurrent use once main or the tests have begun.
func Registered() []Gap { return parseLinked(linked()) }

// parseLinked never loses a line: one that cannot be read was written by
// another version of the wrapper and is a gap of its own.
func parseLinked(lines []string) []Gap {
	var list []Gap
	for _, text := range lines {
		g, err := ParseLine(strings.TrimSuffix(text, "\n"))
		if err != nil {
			g = Gap{File: "unknown", Construct: text, Reason: "the binary carries a gap record that this faultline cannot read: " + err.Error()}
		}
		list = append(list, g)
	}
	Sort(list)
	return slices.Compact(list)
}
