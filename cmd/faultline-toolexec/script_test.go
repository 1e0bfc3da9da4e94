// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/goproxytest"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain builds the command once, for all scripts: the go command has to find it under its own name.
func TestMain(m *testing.M) {
	code, err := runScripts(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// home is the user's directory that the scripts share; it holds the prepared toolchain.
var home string

func runScripts(m *testing.M) (int, error) {
	if os.Getuid() == 0 {
		// The go command probes a C compiler with an output /dev/null, which as root deletes the device.
		os.Setenv("CGO_ENABLED", "0")
	}
	dir, err := os.MkdirTemp("", "faultline-toolexec-test-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "bin")
	name := "faultline-toolexec"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, name), ".").CombinedOutput(); err != nil {
		return 0, fmt.Errorf("building the command: %w\n%s", err, out)
	}
	os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	home = filepath.Join(dir, "home")
	return m.Run(), nil
}

// userEnv is the environment of a user of whom nothing is known but the caches of the go command.
func userEnv(home string) []string {
	return []string{
		"HOME=" + home,
		"USERPROFILE=" + home,
		"XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
		"LocalAppData=" + filepath.Join(home, "cache"),
		"GOCACHE=" + goEnv("GOCACHE"),
		"GOMODCACHE=" + goEnv("GOMODCACHE"),
		"GOPROXY=off",
		"GOWORK=off",
		"GOFLAGS=",
		"GOTOOLCHAIN=local",
		"CGO_ENABLED=" + goEnv("CGO_ENABLED"),
	}
}

func goEnv(name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(out))
}

// TestScripts runs testdata/script. The toolchain is prepared for all of them; a script that wants another state
// sets XDG_CACHE_HOME.
func TestScripts(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the scripts set XDG_CACHE_HOME, which has no meaning here")
	}
	prepare := exec.Command("faultline-toolexec", "prepare")
	prepare.Env = append(os.Environ(), userEnv(home)...)
	out, err := prepare.CombinedOutput()
	if err != nil {
		t.Fatalf("prepare: %v\n%s", err, out)
	}
	t.Logf("%s", out)
	proxy := goproxytest.NewTestServer(t, "testdata/mod", "")
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, userEnv(home)...)
			env.Setenv("REPO", repository(t))
			env.Setenv("PROXY", proxy.URL)
			env.Setenv("CC_DIR", filepath.Join(repository(t), "cmd", "faultline-toolexec", "testdata", "cc"))
			return addExactModule(env, repository(t))
		},
		Condition: func(name string) (bool, error) {
			if name == "gdb" {
				return debuggerWorks(), nil
			}
			return false, fmt.Errorf("unknown condition %s", name)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"disjoint": disjoint,
			"exact":    exact,
			"onefault": oneFault,
			"same":     same,
		},
	})
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Fatalf("%s is no longer a device: %v, %v", os.DevNull, info, err)
	}
}

// debuggerWorks reports whether there is a gdb, and whether it may run a program: containers forbid that now and then.
func debuggerWorks() bool {
	out, err := exec.Command("gdb", "-batch", "-nx", "-ex", "run", "/bin/true").CombinedOutput()
	return err == nil && strings.Contains(string(out), "exited normally")
}

// repository is the root of the working tree.
func repository(t *testing.T) string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// disjoint FILE FILE checks that two files have no line in common.
func disjoint(ts *testscript.TestScript, neg bool, args []string) {
	lines := map[string]bool{}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		lines[line] = true
	}
	common, total := 0, 0
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		total++
		if lines[line] {
			common++
		}
	}
	switch {
	case len(lines) == 0 || total == 0:
		ts.Fatalf("%s has %d lines, %s has %d", args[0], len(lines), args[1], total)
	case neg && common != total:
		ts.Fatalf("%d of %d lines are not in both", total-common, total)
	case !neg && common > 0:
		ts.Fatalf("%d of %d lines are in both", common, total)
	}
}

// onefault checks that the last command wrote nothing but one line of the wrapper to its standard error, apart
// from what the go command adds when a tool fails.
func oneFault(ts *testscript.TestScript, neg bool, args []string) {
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stderr")), "\n")
	wrapper := 0
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "faultline-toolexec: "):
			wrapper++
		case !strings.HasPrefix(line, "go: ") && !strings.HasPrefix(line, "# "):
			ts.Fatalf("unexpected line %q", line)
		}
	}
	if wrapper != 1 || ts.ReadFile("stdout") != "" {
		ts.Fatalf("%d lines of the wrapper, standard output %q", wrapper, ts.ReadFile("stdout"))
	}
}
