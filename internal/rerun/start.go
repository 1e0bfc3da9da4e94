// SPDX-License-Identifier: MPL-2.0

package rerun

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Command says what a process is to run.
type Command struct {
	Run     string            // pattern for -test.run
	Task    string            // what Task returns there; not empty
	Verbose bool              // testing.Verbose there
	Flags   []string          // flags of package testing that this process hands on if it has them, without the dash
	Env     map[string]string // variables that differ from those here; an empty value removes one

	// Inputs makes the files and variables that the test reads there count as read here, so that the go command does not
	// take a result from its cache that depends on others. See Process.NoteInputs.
	Inputs bool

	// Timeout ends the process through -test.timeout, or a while later by force; 0
	// means never.
	Timeout time.Duration
}

// grace is how long a process that has reached its time limit may take to print its goroutines.
const grace = 10 * time.Second

// Process is a started process. Its methods may be called by several goroutines.
type Process struct {
	dir      string
	cmd      *exec.Cmd
	lifeline io.WriteCloser // the process ends when it is closed
	exited   chan struct{}
	exit     Exit
	killed   sync.Once
}

// Exit is how a process ended. Its output is in memory, so it is read only once.
type Exit struct {
	Code           int    // its status, or -1 if a signal ended it
	State          string // such as "exit status 2"
	Stdout, Stderr string
}

// startDir is the directory that the go command started this process in. A test may have left it by now, and will
// do so again in the new process.
var startDir, _ = os.Getwd()

// Start starts the test binary again. The caller must call Remove in the end.
func Start(c Command) (*Process, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("rerun: the test binary cannot find itself: %w", err)
	}
	dir, err := os.MkdirTemp("", "faultline-")
	if err != nil {
		return nil, fmt.Errorf("rerun: %w", err)
	}
	p := &Process{dir: dir, cmd: exec.Command(binary, c.args(os.Args[1:], dir)...), exited: make(chan struct{})}
	if err := p.start(c); err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("rerun: %w", err)
	}
	return p, nil
}

func (p *Process) start(c Command) error {
	if err := os.Mkdir(tempDir(p.dir), 0o700); err != nil {
		return err
	}
	stdout, err := os.Create(p.File("stdout"))
	if err != nil {
		return err
	}
	defer stdout.Close()
	stderr, err := os.Create(p.File("stderr"))
	if err != nil {
		return err
	}
	defer stderr.Close()
	p.cmd.Dir = startDir
	p.cmd.Env = c.environ(os.Environ(), p.dir)
	p.cmd.Stdout, p.cmd.Stderr = stdout, stderr
	if p.lifeline, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	go p.watch(c.Timeout)
	return nil
}

func (p *Process) File(name string) string { return filepath.Join(p.dir, name) }

// watch waits for the end of the process.
func (p *Process) watch(timeout time.Duration) {
	if timeout > 0 {
		limit := time.AfterFunc(timeout+grace, p.Kill)
		defer limit.Stop()
	}
	err := p.cmd.Wait()
	p.exit.Code, p.exit.State = p.cmd.ProcessState.ExitCode(), p.cmd.ProcessState.String()
	stdout, outErr := os.ReadFile(p.File("stdout"))
	stderr, errErr := os.ReadFile(p.File("stderr"))
	p.exit.Stdout, p.exit.Stderr = string(stdout), string(stderr)
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) {
		outErr = errors.Join(err, outErr)
	}
	if err := errors.Join(outErr, errErr); err != nil {
		p.exit.State += ", " + err.Error()
	}
	close(p.exited)
}

// Tell hands a line to Await in the process. One that has ended does not hear it.
func (p *Process) Tell(line string) { io.WriteString(p.lifeline, line+"\n") }

// Wait waits for the end of the process.
func (p *Process) Wait() Exit {
	<-p.exited
	return p.exit
}

// Kill ends the process.
func (p *Process) Kill() { p.killed.Do(func() { p.cmd.Process.Kill() }) }

// Remove ends the process, if it has not ended, and removes its directories.
func (p *Process) Remove() {
	p.Kill()
	p.Wait()
	os.RemoveAll(p.dir)
}
