// SPDX-License-Identifier: MPL-2.0

package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link     = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	code     = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	heading  = regexp.MustCompile(`(?m)^#{1,6} +(.*)$`)
	unlinked = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Relative links lead to files that exist, and their anchors to headings.
func TestLinks(t *testing.T) {
	for _, page := range pages(t) {
		text := code.ReplaceAllString(readPage(t, page), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			file := page
			if target != "" {
				file = path.Join(path.Dir(page), target)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, m[1])
				continue
			}
			if anchor != "" && !anchors(readPage(t, file))[anchor] {
				t.Errorf("%s: %s has no heading for the link %s", page, file, m[1])
			}
		}
	}
}

// anchors are the names that GitHub gives to the headings of a page.
func anchors(page string) map[string]bool {
	set := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		name := strings.ToLower(unlinked.ReplaceAllString(m[1], ""))
		set[strings.ReplaceAll(name, " ", "-")] = true
	}
	return set
}

var fenced = regexp.MustCompile("(?s)```.*?```")

// Every page of the manual can be reached from its index.
func TestIndex(t *testing.T) {
	index := readPage(t, "docs/README.md")
	for _, page := range pages(t) {
		name, ok := strings.CutPrefix(page, "docs/")
		if ok && name != "README.md" && !strings.Contains(index, "("+name) {
			t.Errorf("docs/README.md has no link to %s", name)
		}
	}
}

var source = regexp.MustCompile("`([\\w./-]+)`")

// The files and folders that the page on the architecture names exist.
func TestArchitectureNamesFiles(t *testing.T) {
	page, _, _ := strings.Cut(readPage(t, "docs/architecture.md"), "\n## Tests")
	_, page, _ = strings.Cut(page, "\n## Layers")
	for _, m := range source.FindAllStringSubmatch(page, -1) {
		if !strings.Contains(m[1], "/") && path.Ext(m[1]) != ".go" {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("docs/architecture.md names %s, which does not exist", m[1])
		}
	}
}

var layer = regexp.MustCompile(`(?m)^\t"([^"]+)":`)

// The page on the architecture has every layer that the test of imports knows.
func TestArchitectureHasTheLayers(t *testing.T) {
	page := readPage(t, "docs/architecture.md")
	_, table, _ := strings.Cut(readPage(t, "layers_test.go"), "\nvar layers =")
	table, _, _ = strings.Cut(table, "\n}\n")
	layers := layer.FindAllStringSubmatch(table, -1)
	if len(layers) < 15 {
		t.Fatalf("layers_test.go has %d layers", len(layers))
	}
	for _, m := range layers {
		if !strings.Contains(page, "`"+m[1]+"`") && !strings.Contains(page, "…/"+m[1]+"`") {
			t.Errorf("docs/architecture.md does not have %s", m[1])
		}
	}
}
