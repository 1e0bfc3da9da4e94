// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The variables of GitHub Actions that [Run] reads.
const (
	envActions   = "GITHUB_ACTIONS"
	envWorkspace = "GITHUB_WORKSPACE"
	envSummary   = "GITHUB_STEP_SUMMARY"
)

// annotate tells GitHub Actions, if this is a job of it, where a failure is. It
// looks at the beginnings of lines of standard output, whatever came before.
func annotate(w io.Writer, at place, title, message string) {
	if os.Getenv(envActions) == "true" {
		io.WriteString(w, "\n"+annotation(at, title, message)+"\n")
	}
}

// annotation is a workflow command.
func annotation(at place, title, message string) string {
	var where string
	if at.file != "" {
		file := relativeTo(os.Getenv(envWorkspace), at.file)
		where = fmt.Sprintf("file=%s,line=%d,", escapeProperty(file), at.line)
	}
	return fmt.Sprintf("::error %stitle=%s::%s", where, escapeProperty(title), escapeData(message))
}

// A workflow command ends with its line, and a property at a comma or colon.
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func escapeData(text string) string     { return dataEscapes.Replace(text) }
func escapeProperty(text string) string { return propertyEscapes.Replace(text) }

// relativeTo returns a source file as GitHub knows it: by its path below the checkout.
func relativeTo(workspace, file string) string {
	if !filepath.IsAbs(file) { // -trimpath has put the module's path before it
		here, err := filepath.Abs(filepath.Base(file)) // tests run in the folder of their package
		if _, statErr := os.Stat(here); err != nil || statErr != nil {
			return file
		}
		file = here
	}
	if workspace == "" {
		return filepath.ToSlash(file)
	}
	for _, resolve := range []func(string) string{filepath.Clean, resolved} {
		if rel, err := filepath.Rel(resolve(workspace), resolve(file)); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(file)
}

// resolved follows symbolic links, where it can.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// failedSeed is what the job summary says of a seed.
type failedSeed struct {
	line   result
	replay string
}

// summaryRows is how many failing seeds of a Run the job summary lists: it takes a megabyte.
const summaryRows = 50

// writeSummary appends the failing seeds of a Run to the job summary, in one write.
func (r *runner) writeSummary() {
	path := os.Getenv(envSummary)
	if path == "" || len(r.failures) == 0 || r.task != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = io.WriteString(f, summary(r.origin.pkg, r.t.Name(), r.failures, r.failed()))
		f.Close()
	}
	if err != nil {
		r.t.Logf("faultline: cannot write to %s: %v", envSummary, err)
	}
}

// failed is the number of failing seeds so far.
func (r *runner) failed() (n int) {
	for _, seeds := range r.signatures {
		n += seeds
	}
	return n
}

// summary lists failing seeds, of which there are that many altogether.
func summary(pkg, test string, failures []failedSeed, all int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### faultline: %s in %s\n\n| seed | failure | at | replay |\n|---|---|---|---|\n", cell(test), cell(pkg))
	for _, f := range failures {
		l := &f.line
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell(l.Seed), cell(l.Signature+"\n"+l.Message), cell(l.At), cell(f.replay))
	}
	if n := all - len(failures); n > 0 {
		fmt.Fprintf(&b, "\nand %s more\n", count(n, "seed"))
	}
	return b.String() + "\n"
}

// cellEscapes keep a text from being read as Markdown.
var cellEscapes = strings.NewReplacer("|", "&#124;", "*", "&#42;", "_", "&#95;", "`", "&#96;", "[", "&#91;", "\\", "&#92;", "~", "&#126;", "\r", "", "\n", "<br>")

func cell(text string) string {
	const most = 2000 // bytes
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return "<code>" + cellEscapes.Replace(html.EscapeString(text)) + "</code>"
}

// annotate points at the check that failed, or else at the call of Run.
func (r *runner) annotate(f *failure, name, replay string) {
	message := f.message
	if replay != "" {
		message = fmt.Sprintf("%s\n%s\nreplay: %s", f.headline(), f.message, replay)
	}
	annotate(os.Stdout, cmp.Or(f.place, r.place), name, message)
}
