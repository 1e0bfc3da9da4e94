// SPDX-License-Identifier: MPL-2.0

package rerun_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/internal/rerun"
)

// tasks are what the processes of these tests do.
var tasks = map[string]func(t *testing.T){
	"answer": func(t *testing.T) {
		rerun.Mark()
		fmt.Println(rerun.Await())
		rerun.Mark()
		os.WriteFile(rerun.File("answer"), []byte(os.TempDir()), 0o600)
	},
	"stdin": func(t *testing.T) {
		if n, err := io.ReadAll(os.Stdin); len(n) > 0 || err != nil {
			t.Error(n, err)
		}
	},
	"fail": func(t *testing.T) { t.Error("no") },
	"hang": func(t *testing.T) { select {} },
	// grandchild starts a process that hangs, and dies.
	"grandchild": func(t *testing.T) {
		if _, err := rerun.Start(rerun.Command{Run: "^TestTask$", Task: "hang"}); err != nil {
			t.Error(err)
		}
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			t.Error(err)
		}
		self.Kill()
	},
	"read": func(t *testing.T) {
		os.ReadFile("rerun_test.go")
		t.Chdir("..")
		os.Stat(filepath.Join("..", "internal"))
		os.Getenv("FAULTLINE_TEST_READ")
	},
	"start a reader": func(t *testing.T) {
		p := start(t, rerun.Command{Task: "read", Inputs: true})
		p.Wait()
		p.NoteInputs()
		if !rerun.Cached() {
			t.Error("the inputs of this process are not noted")
		}
	},
	"hidden": func(t *testing.T) {
		for _, v := range os.Environ() {
			if strings.HasPrefix(v, "FAULTLINE_RERUN") {
				t.Error(v)
			}
		}
	},
}

func TestTask(t *testing.T) {
	task, started := rerun.Task()
	if !started {
		t.Skip("runs in a process that another test starts")
	}
	tasks[task](t)
}

func start(t *testing.T, c rerun.Command) *rerun.Process {
	t.Helper()
	c.Run = "^TestTask$"
	p, err := rerun.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Remove)
	return p
}

func TestAnswer(t *testing.T) {
	p := start(t, rerun.Command{Task: "answer"})
	p.Tell("to be or not")
	e := p.Wait()
	if e.Code != 0 || rerun.Marked(e.Stdout) != "to be or not\n" || !strings.Contains(e.Stdout, "PASS") {
		t.Errorf("%+v", e)
	}
	temp, err := os.ReadFile(p.File("answer"))
	if err != nil || filepath.Dir(string(temp)) != filepath.Dir(p.File("answer")) {
		t.Errorf("the temporary directory was %s, %v", temp, err)
	}
	p.Remove()
	if _, err := os.Stat(filepath.Dir(p.File("answer"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is still there: %v", err)
	}
}

func TestEndings(t *testing.T) {
	tests := []struct {
		command rerun.Command
		code    int
		says    string
	}{
		{rerun.Command{Task: "stdin"}, 0, "PASS"},
		{rerun.Command{Task: "hidden"}, 0, "PASS"},
		{rerun.Command{Task: "fail"}, 1, "--- FAIL: TestTask"},
		{rerun.Command{Task: "hang", Timeout: 100 * time.Millisecond}, 2, "panic: test timed out after 100ms"},
	}
	for _, tt := range tests {
		e := start(t, tt.command).Wait()
		if e.Code != tt.code || !strings.Contains(e.Stdout+e.Stderr, tt.says) {
			t.Errorf("%s: %+v", tt.command.Task, e)
		}
	}
}

// What a process has read counts as read by the one that started it.
func TestInputs(t *testing.T) {
	p := start(t, rerun.Command{Task: "start a reader", Inputs: true})
	e := p.Wait()
	log, err := os.ReadFile(p.File("inputs"))
	if err != nil {
		t.Fatalf("%v\n%+v", err, e)
	}
	for _, want := range []string{`open .*rerun_test\.go`, `stat .*internal`, `getenv FAULTLINE_TEST_READ`} {
		if !regexp.MustCompile("(?m)^" + want + "$").Match(log) {
			t.Errorf("no %q in\n%s", want, log)
		}
	}
}

func TestKill(t *testing.T) {
	p := start(t, rerun.Command{Task: "hang"})
	p.Kill()
	p.Kill()
	if e := p.Wait(); e.Code == 0 {
		t.Errorf("%+v", e)
	}
}

// A process whose parent is killed ends too, and takes its directory along.
func TestOrphansEnd(t *testing.T) {
	p := start(t, rerun.Command{Task: "grandchild"})
	p.Wait()
	for {
		left, err := filepath.Glob(filepath.Join(filepath.Dir(p.File("x")), "t", "faultline-*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// ExampleStart runs a test of this binary again and hands it a line.
func ExampleStart() {
	p, err := rerun.Start(rerun.Command{Run: "^TestTask$", Task: "answer"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Remove()
	p.Tell("hello")
	fmt.Print(rerun.Marked(p.Wait().Stdout))
	// Output: hello
}
