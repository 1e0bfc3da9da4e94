// SPDX-License-Identifier: MPL-2.0

package docs_test

import (
	"regexp"
	"strings"
	"testing"
)

// mask replaces a part of what a command prints that is not the same at each run.
type mask struct {
	what *regexp.Regexp
	by   string
}

// always are the parts that depend on the machine: how long something took, and where the wrapper was built.
var always = []mask{
	{regexp.MustCompile(`\(\d+\.\d+s\)`), "(time)"},
	{regexp.MustCompile(`(?m)\t(\d+\.\d+s|\(cached\))$`), "\ttime"},
	{regexp.MustCompile(`-toolexec=\S*faultline-toolexec`), "-toolexec=faultline-toolexec"},
	{regexp.MustCompile(` {2,}`), "  "}, // columns are as wide as their longest entry
}

// numbers also hides all figures: in goroutine mode they differ between Go releases.
var numbers = append(always,
	mask{regexp.MustCompile(`0x[0-9a-f]+|\b[0-9a-f]{16}\b`), "HEX"},
	mask{regexp.MustCompile(`\d+(\.\d+)*`), "N"},
)

func apply(masks []mask, text string) string {
	for _, m := range masks {
		text = m.what.ReplaceAllString(text, m.by)
	}
	return strings.TrimSpace(text)
}

// matches reports whether an output is what a page shows. A line "..." stands for any number of lines.
func matches(shown, output string) bool {
	pattern := regexp.QuoteMeta("\n" + shown + "\n")
	pattern = strings.ReplaceAll(pattern, "\n"+regexp.QuoteMeta("...")+"\n", "\n(.*\n)*?")
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString("\n" + output + "\n")
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		shown, output string
		want          bool
	}{
		{"a\nb", "a\nb", true},
		{"a", "a\nb", false},
		{"a\n...", "a\nb\nc", true},
		{"...\nc", "a\nb\nc", true},
		{"a\n...\nc", "a\nc", true},
		{"a\n...\nd", "a\nb\nc", false},
		{"...", "", true},
		{"a.", "ab", false},
	} {
		if got := matches(c.shown, c.output); got != c.want {
			t.Errorf("matches(%q, %q) is %v", c.shown, c.output, got)
		}
	}
}
