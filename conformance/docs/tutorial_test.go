// SPDX-License-Identifier: MPL-2.0

package docs_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/sched"
)

// What the tutorials tell a reader to write and to run works, and prints what they show. A reader begins in an empty folder, and goes on
// in it with the next page.
func TestTutorials(t *testing.T) {
	inPlainBuild(t)
	t.Run("event", func(t *testing.T) {
		r := newReader(t, always)
		r.follow("docs/get-started.md")
		r.follow("docs/replay-and-pin.md")
	})
	t.Run("goroutine", func(t *testing.T) {
		newReader(t, numbers).follow("docs/goroutine-mode.md")
	})
}

// The tutorial about the wrapper uses it, which may have to build a standard library. So it waits for the step of CI in which there is one.
func TestExactTutorial(t *testing.T) {
	_, wrapper, ok := strings.Cut(os.Getenv("FAULTLINE_TOOLEXEC_FLAG"), "-toolexec=")
	if !ok {
		t.Skip("it uses the wrapper; to run it: faultline-toolexec test ./conformance/docs")
	}
	r := newReader(t, numbers)
	r.wrapper = wrapper
	r.skim("docs/goroutine-mode.md")
	r.follow("docs/replay-exactly.md")
}

// inPlainBuild leaves the test out where it would do once more what it has done in a plain build.
func inPlainBuild(t *testing.T) {
	t.Helper()
	if sched.Available() {
		t.Skip("it says no more in a build through the wrapper")
	}
}

// reader does what a page says.
type reader struct {
	t        *testing.T
	masks    []mask
	dir      string // current directory
	tmp      string // the temporary directory
	where    string // in the page, for messages
	wrapper  string // stands for the tool of the module, which would need a standard library of its own
	replaced bool   // the module takes faultline from this tree
}

func newReader(t *testing.T, masks []mask) *reader {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell: ", err)
	}
	return &reader{t: t, masks: masks, dir: t.TempDir(), tmp: t.TempDir()}
}

// follow does all that a page says.
func (r *reader) follow(page string) {
	r.t.Helper()
	r.read(page, r.run)
}

// skim does what the next page builds on: it makes the module with its files, and runs no tests.
func (r *reader) skim(page string) {
	r.t.Helper()
	r.read(page, func(commands string, _ *block) {
		if strings.Contains(commands, "go mod init") {
			r.run(commands, nil)
		}
	})
}

func (r *reader) read(page string, run func(commands string, shown *block)) {
	r.t.Helper()
	list := blocks(readPage(r.t, page))
	for i, b := range list {
		r.where = fmt.Sprintf("%s:%d", page, b.line)
		switch {
		case b.lang == "sh":
			run(b.text, shownBehind(list, i))
		case b.lang == "diff" && b.file != "":
			r.patch(b.file, b.text)
		case b.file != "":
			r.write(b.file, b.text)
		}
	}
}

// shownBehind is the block behind block i if that shows the output of a command.
func shownBehind(list []block, i int) *block {
	if i+1 < len(list) && list[i+1].lang == "text" {
		return &list[i+1]
	}
	return nil
}

func (r *reader) path(file string) string { return filepath.Join(r.dir, filepath.FromSlash(file)) }

// write makes or replaces a file.
func (r *reader) write(file, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(file)), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.path(file), []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// patch replaces the lines of the diff that begin with a minus or a space by those with a plus or a space.
func (r *reader) patch(file, diff string) {
	r.t.Helper()
	before, after := "", ""
	for line := range strings.Lines(diff) {
		switch text := line[1:]; line[0] {
		case '-':
			before += text
		case '+':
			after += text
		default:
			before += text
			after += text
		}
	}
	data, err := os.ReadFile(r.path(file))
	if err != nil {
		r.t.Fatalf("%s: %v", r.where, err)
	}
	if n := strings.Count(string(data), before); n != 1 {
		r.t.Fatalf("%s: the lines to change are %d times in %s", r.where, n, file)
	}
	r.write(file, strings.Replace(string(data), before, after, 1))
}

// run runs the commands of a block, one a line. They fail if the output that the page shows has a line FAIL.
func (r *reader) run(commands string, shown *block) {
	r.t.Helper()
	output, failed := "", false
	for line := range strings.Lines(strings.ReplaceAll(commands, "\\\n", "")) {
		text, err := r.command(strings.TrimSpace(line))
		output, failed = output+text, failed || err != nil
		if shown == nil && err != nil {
			r.t.Fatalf("%s: %s: %v\n%s", r.where, line, err, text)
		}
	}
	if shown == nil {
		return
	}
	if want := strings.Contains("\n"+shown.text, "\nFAIL\n"); failed != want {
		r.t.Fatalf("%s: the commands fail: %v, the page says: %v\n%s", r.where, failed, want, output)
	}
	output = strings.ReplaceAll(output, r.artifacts(), shownArtifacts)
	if want, got := apply(r.masks, shown.text), apply(r.masks, output); !matches(want, got) {
		r.t.Fatalf("%s: the page shows\n%s\n\nand the command printed\n%s", r.where, want, got)
	}
}

// The pages name the root of artifact directories as a user's shell would.
const (
	typedArtifacts = "/tmp/faultline-$(id -u)"
	shownArtifacts = "/tmp/faultline-1000"
)

func (r *reader) artifacts() string {
	return filepath.Join(r.tmp, fmt.Sprintf("faultline-%d", os.Getuid()))
}

// command runs one command of a page and returns what it prints. The directory that it ends in is the next one's.
func (r *reader) command(line string) (string, error) {
	r.t.Helper()
	line = strings.ReplaceAll(line, typedArtifacts, r.artifacts())
	if r.wrapper != "" {
		line = strings.ReplaceAll(line, "go tool faultline-toolexec", r.wrapper)
	}
	end := filepath.Join(r.tmp, "pwd")
	cmd := exec.Command("sh", "-c", "trap 'pwd >"+end+"' EXIT\n"+line)
	cmd.Dir = r.dir
	cmd.Env = append(userEnv(), "TMPDIR="+r.tmp)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	if dir, err := os.ReadFile(end); err == nil {
		r.dir = strings.TrimSpace(string(dir))
	}
	r.replace()
	return string(out), err
}

// userEnv is the environment of a user at a terminal, outside of this tree. The checksum database cannot know the modules of the tree.
func userEnv() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "FAULTLINE_") && !strings.HasPrefix(v, "GITHUB_") {
			env = append(env, v)
		}
	}
	if os.Getuid() == 0 {
		env = append(env, "CGO_ENABLED=0") // or the go command probes a C compiler with an output /dev/null, which it deletes
	}
	return append(env, "GOWORK=off", "GOSUMDB=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
}

// replace lets a new module take the modules of faultline from this tree, as go get would take them from a proxy.
func (r *reader) replace() {
	r.t.Helper()
	if _, err := os.Stat(r.path("go.mod")); r.replaced || err != nil {
		return
	}
	r.replaced = true
	tree, err := filepath.Abs(root)
	if err != nil {
		r.t.Fatal(err)
	}
	args := []string{"mod", "edit"}
	for _, dir := range []string{"", "/rewrite", "/cmd/faultline-toolexec"} {
		args = append(args, "-replace=github.com/hmdsefi/faultline"+dir+"="+tree+filepath.FromSlash(dir))
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = r.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
}
