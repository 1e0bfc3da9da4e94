// SPDX-License-Identifier: MPL-2.0

package docs_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the root of the repository.
const root = "../.."

// block is a fenced block of a page.
type block struct {
	line int    // of the fence that opens it
	lang string // what stands behind the fence
	file string // the file that the line above the block names, if that ends with a name in backquotes and a colon
	text string
}

var names = regexp.MustCompile("`([\\w./-]+)`:$")

// blocks returns the fenced blocks of a page in order.
func blocks(page string) []block {
	var list []block
	var b *block
	above := ""
	for i, line := range strings.Split(page, "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case b == nil && isFence:
			b = &block{line: i + 1, lang: fence}
			if m := names.FindStringSubmatch(above); m != nil {
				b.file = m[1]
			}
		case isFence:
			list, b, above = append(list, *b), nil, ""
		case b != nil:
			b.text += line + "\n"
		case strings.TrimSpace(line) != "":
			above = strings.TrimSpace(line)
		}
	}
	return list
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// pages lists the Markdown files of the repository, by slash-separated paths below its root.
func pages(t *testing.T) []string {
	t.Helper()
	var list []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return fs.SkipDir
		case path.Ext(name) == ".md":
			list = append(list, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
