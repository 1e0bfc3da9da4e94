// SPDX-License-Identifier: MPL-2.0

package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// element matches a style or script element and its content.
var element = regexp.MustCompile(`(?s)<(style|script)([^>]*)>(.*?)</(?:style|script)>`)

func write(t *testing.T, data *Data) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, data); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// hostile is a text that would end an element, close an attribute or fill in a
// placeholder if it got anywhere as it is.
const hostile = `</script><script>alert(1)</script></style>"'><img src=x onerror=alert(1)><!-- {{script}} {{policy}} &amp;`

func hostileData() *Data {
	return &Data{
		Head: Head{
			Title: hostile, Status: "fail", Headline: hostile, Message: hostile, Stack: hostile,
			Facts: []Fact{{hostile, hostile}},
		},
		Nodes:   []string{hostile},
		Strings: []string{"", hostile},
		Records: Records{
			Seq: []int64{1}, At: []int64{0}, Node: []int{1}, Inc: []int{1}, Kind: []int{1}, Cause: []int{0}, Text: []int{1}, Attrs: [][]int{{1, 1}},
		},
		Operations: []Operation{{Process: hostile, F: hostile, Input: hostile, Output: hostile}},
	}
}

func TestPolicyAllowsTheStyleAndTheScriptOnly(t *testing.T) {
	text := write(t, hostileData())
	got := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)
	if got == nil {
		t.Fatal("the page has no policy")
	}
	if !strings.HasPrefix(got[1], "default-src 'none'; ") {
		t.Errorf("the policy is %q", got[1])
	}
	directives := map[string]string{"style": "style-src", "script": "script-src"}
	found := 0
	for _, m := range element.FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[2], "application/json") {
			continue
		}
		found++
		sum := sha256.Sum256([]byte(m[3]))
		want := directives[m[1]] + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"
		if !strings.Contains(got[1], want) {
			t.Errorf("the policy %q has no %s", got[1], want)
		}
	}
	if found != 2 {
		t.Errorf("%d style and script elements, want one each", found)
	}
	if strings.Contains(got[1], "unsafe") || strings.Contains(got[1], "http") {
		t.Errorf("the policy is %q", got[1])
	}
}

func TestHostileTextStaysText(t *testing.T) {
	text := write(t, hostileData())
	if n := strings.Count(text, "</script>"); n != 2 {
		t.Errorf("%d script elements end, want those of the data and the script", n)
	}
	for _, never := range []string{"<img", "alert(1)<", "<!--"} {
		if strings.Contains(text, never) {
			t.Errorf("the page has %q", never)
		}
	}
	if n := strings.Count(text, `"use strict"`); n != 1 {
		t.Errorf("the script is there %d times", n)
	}
}

// The page asks for nothing from elsewhere, which its policy would refuse anyway.
func TestNothingIsLoaded(t *testing.T) {
	text := write(t, &Data{})
	for _, never := range []string{"http:", "https:", "src=", "@import", "url(", "fetch(", "innerHTML", "insertAdjacentHTML", "document.write", "eval(", ".outerHTML"} {
		if strings.Contains(text, never) {
			t.Errorf("the page has %q", never)
		}
	}
}

// Each file of the folders is part of the page.
func TestAllSourcesAreUsed(t *testing.T) {
	for dir, names := range map[string][]string{"script": scripts, "style": styles} {
		entries, err := fs.ReadDir(os.DirFS("."), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := strings.TrimSuffix(e.Name(), path.Ext(e.Name()))
			if !slices.Contains(names, name) {
				t.Errorf("%s/%s is not part of the page", dir, e.Name())
			}
			if data := read(dir + "/" + e.Name()); !strings.Contains(strings.SplitN(data, "\n", 2)[0], "SPDX-License-Identifier: MPL-2.0") {
				t.Errorf("%s/%s does not begin with the SPDX line", dir, e.Name())
			}
		}
	}
}
