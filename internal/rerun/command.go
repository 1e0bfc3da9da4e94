// SPDX-License-Identifier: MPL-2.0

package rerun

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// How a process learns its task and the directory that it shares with the process that started it.
const (
	taskVariable = "FAULTLINE_RERUN"
	dirVariable  = "FAULTLINE_RERUN_DIR"
)

// tempVariables name the directory of temporary files: on Unix, and on Windows.
var tempVariables = []string{"TMPDIR", "TMP", "TEMP"}

// tempDir is the directory of temporary files of a process. Its name is short, since the paths of sockets must be.
func tempDir(dir string) string { return filepath.Join(dir, "t") }

// environ returns the variables of the process.
func (c Command) environ(environ []string, dir string) []string {
	changed := map[string]string{taskVariable: c.Task, dirVariable: dir, "GORACE": raceOptions(os.Getenv("GORACE"))}
	for _, name := range tempVariables {
		changed[name] = tempDir(dir)
	}
	for name, value := range c.Env {
		changed[name] = value
	}
	var env []string
	for _, v := range environ {
		if name, _, _ := strings.Cut(v, "="); !has(changed, name) {
			env = append(env, v)
		}
	}
	for name, value := range changed {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// raceOptions leaves out the second that the race detector waits at the end of a process. Of two options of one
// name the last one counts.
func raceOptions(own string) string { return strings.TrimSpace("atexit_sleep_ms=0 " + own) }

func has(m map[string]string, key string) bool {
	_, ok := m[key]
	return ok
}

// args returns the arguments of the process: what the command asks for, and those of this process that are
// not package testing's, since a test may have flags of its own. The rest of package testing's would make two processes write
// one file (profiles), or run more than one test once.
func (c Command) args(own []string, dir string) []string {
	args := []string{"-test.run=" + c.Run, "-test.count=1"}
	if c.Verbose {
		args = append(args, "-test.v=true")
	}
	if c.Inputs {
		args = append(args, "-test.testlogfile="+filepath.Join(dir, inputsName))
	}
	if c.Timeout > 0 {
		args = append(args, "-test.timeout="+c.Timeout.String())
	}
	for _, name := range c.Flags {
		if f := flag.Lookup(name); f != nil && f.Value.String() != f.DefValue {
			args = append(args, fmt.Sprintf("-%s=%s", name, f.Value))
		}
	}
	return append(args, foreign(own, boolFlag)...)
}

// TestArgs returns the arguments of this process that are not package testing's but the test's own.
func TestArgs() []string { return foreign(os.Args[1:], boolFlag) }

// foreign returns the arguments that are not flags of package testing. isBool says whether a flag takes no
// argument of its own.
func foreign(args []string, isBool func(name string) bool) []string {
	var rest []string
	for i := 0; i < len(args); i++ {
		name, isFlag := strings.CutPrefix(args[i], "-")
		name = strings.TrimPrefix(name, "-")
		if !isFlag || name == "" { // the end of the flags
			return append(rest, args[i:]...)
		}
		name, _, whole := strings.Cut(name, "=")
		n := 1
		if !whole && !isBool(name) {
			n = min(2, len(args)-i)
		}
		if !strings.HasPrefix(name, "test.") {
			rest = append(rest, args[i:i+n]...)
		}
		i += n - 1
	}
	return rest
}

func boolFlag(name string) bool {
	f := flag.Lookup(name)
	if f == nil {
		return true
	}
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}
