// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnnotation(t *testing.T) {
	t.Setenv(envWorkspace, "/work,a")
	got := annotation(place{"/work,a/kv/100%:x_test.go", 17}, "TestKV/seed=0x1", "100% lost:\r\na, b")
	want := "::error file=kv/100%25%3Ax_test.go,line=17,title=TestKV/seed=0x1::100%25 lost:%0D%0Aa, b"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := annotation(place{}, "a,b", "c"); got != "::error title=a%2Cb::c" {
		t.Errorf("without a place: %s", got)
	}
}

func TestRelativeTo(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(here, link); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ workspace, file, want string }{
		{"/w", "/w/a/b.go", "a/b.go"},
		{"/w/", "/w/a/b.go", "a/b.go"},
		{"/w", "/word/b.go", "/word/b.go"},
		{"", "/w/b.go", "/w/b.go"},
		{here, "example.com/kv/github_test.go", "github_test.go"},
		{filepath.Dir(here), "example.com/kv/github_test.go", filepath.Base(here) + "/github_test.go"},
		{here, "example.com/kv/elsewhere.go", "example.com/kv/elsewhere.go"},
		{link, filepath.Join(here, "github_test.go"), "github_test.go"},
	} {
		if got := relativeTo(c.workspace, c.file); got != c.want {
			t.Errorf("relativeTo(%s, %s) = %s, want %s", c.workspace, c.file, got, c.want)
		}
	}
}

func TestSummaryIsATable(t *testing.T) {
	failures := make([]failedSeed, summaryRows)
	for i := range failures {
		failures[i] = failedSeed{result{Seed: "0x1", Signature: "invariant:a|b", Message: "*no* <b>\n`x` [y](z)" + strings.Repeat("é", 2000), At: "1s"}, "FAULTLINE_SEED=0x1 go test -run '^TestX$' p"}
	}
	text := summary("p_q", "TestX", failures, summaryRows+3)
	rows := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| ") {
			rows++
			if strings.Count(line, "|") != 5 || strings.ContainsAny(line, "*`[\\") || strings.Contains(line, "<b>") {
				t.Errorf("row %s", line)
			}
		}
	}
	if rows != summaryRows+1 || !strings.HasSuffix(text, "\nand 3 seeds more\n\n") || len(text) > 1<<20 {
		t.Errorf("%d rows, %d bytes, end %q", rows, len(text), text[len(text)-40:])
	}
}

func TestFramePlace(t *testing.T) {
	for text, want := range map[string]place{
		"\t/src/kv.go:17 +0x1d":  {"/src/kv.go", 17},
		"\tC:/src/kv.go:17":      {"C:/src/kv.go", 17},
		"goroutine 1 [running]:": {},
		"":                       {},
	} {
		if got := framePlace(text); got != want {
			t.Errorf("framePlace(%q) = %v, want %v", text, got, want)
		}
	}
}
