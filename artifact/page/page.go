// SPDX-License-Identifier: MPL-2.0

// Package page owns timeline.html: the document, its style and script, which are
// the files of this folder, and the shape of the data in it.
//
// It must not know where the data comes from: package artifact makes it out of a
// run. The page loads nothing: its content security policy allows the one style
// and the one script by their hashes and no request at all. It keeps no state;
// its functions may be called concurrently.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"io/fs"
	"strings"
	"sync"
)

//go:embed page.html style script
var sources embed.FS

// scripts are the modules of the script, in the order in which they run.
var scripts = []string{
	"decode", "time", "slice", "life", "messages", "disk", "operations", "faults", "turns", // what the data says
	"theme", "plot", "paint", "looks", "traffic", "world", "goroutines", "overview", // what is drawn
	"list", "details", "filter", "keys", "main", // what is used
}

var styles = []string{"theme", "layout", "parts"}

// Write writes the page that shows data.
func Write(w io.Writer, data *Data) error {
	text, err := json.Marshal(data) // which escapes <, > and &, so that no text of a run ends the script element
	if err != nil {
		return err
	}
	p := parts()
	_, err = strings.NewReplacer(
		"{{policy}}", policy(p.style, p.script),
		"{{title}}", html.EscapeString(data.Head.Title),
		"{{headline}}", html.EscapeString(data.Head.Headline),
		"{{message}}", html.EscapeString(data.Head.Message),
		"{{status}}", html.EscapeString(data.Head.Status),
		"{{style}}", p.style,
		"{{script}}", p.script,
		"{{data}}", string(text),
	).WriteString(w, p.document)
	return err
}

// policy is the content security policy of a page with that style and script.
func policy(style, script string) string {
	return "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) + "; base-uri 'none'; form-action 'none'"
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// fixed are the parts that are the same in all pages.
type fixed struct{ document, style, script string }

var parts = sync.OnceValue(func() fixed {
	return fixed{
		document: read("page.html"),
		style:    concat(styles, "style/", ".css"),
		script:   "(() => {\n\"use strict\";\n" + concat(scripts, "script/", ".js") + "})();\n",
	}
})

func concat(names []string, before, after string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(read(before + name + after))
	}
	return b.String()
}

// read returns an embedded file. A hash of the policy is over the text that a
// browser sees, in which each line ends with a single character.
func read(name string) string {
	data, err := fs.ReadFile(sources, name)
	if err != nil {
		panic(err) // the lists above name a file that is not there
	}
	return string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
}
