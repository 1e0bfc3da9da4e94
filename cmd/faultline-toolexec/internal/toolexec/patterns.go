// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"regexp"
	"slices"
	"strings"
)

// patterns are the entries of a variable.
type patterns []string

func patternsOf(value string) patterns {
	var list patterns
	for entry := range strings.SplitSeq(value, ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			list = append(list, entry)
		}
	}
	return list
}

// match reports whether a pattern matches a path.
func (p patterns) match(name string) bool {
	return slices.ContainsFunc(p, func(pattern string) bool { return matches(pattern, name) })
}

// unknown returns the patterns that match none of some paths.
func (p patterns) unknown(names []string) patterns {
	var list patterns
	for _, pattern := range p {
		if !slices.ContainsFunc(names, func(name string) bool { return matches(pattern, name) }) {
			list = append(list, pattern)
		}
	}
	return list
}

// matches is the match of the go command: x/... matches x too.
func matches(pattern, name string) bool {
	if !strings.Contains(pattern, "...") {
		return pattern == name
	}
	expression := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.\.\.`, `.*`)
	if strings.HasSuffix(expression, `/.*`) {
		expression = strings.TrimSuffix(expression, `/.*`) + `(/.*)?`
	}
	ok, err := regexp.MatchString(`^`+expression+`$`, name)
	return err == nil && ok
}
