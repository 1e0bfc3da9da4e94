// SPDX-License-Identifier: MPL-2.0

package scoreboard

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/hmdsefi/faultline/conformance/scoreboard/driver"
)

// end is how a process came to its end.
type end struct {
	last    driver.Report // that it sent
	stalled bool          // it sent nothing for too long and was ended
	expired bool          // it took too long in all and was ended
	output  string        // what it and its runtime printed, but not its reports
	err     error         // it did not end well
}

// patience says how long a process may take.
type patience struct {
	report time.Duration // from one report to the next
	all    time.Duration
}

// watch runs a request in a process of its own. A process that says nothing for too long is ended with SIGQUIT, so that the runtime
// prints where its goroutines are.
func watch(ctx context.Context, binary string, request driver.Request, p patience) end {
	text, err := json.Marshal(request)
	if err != nil {
		return end{err: err}
	}
	temp, err := os.MkdirTemp("", "scoreboard-")
	if err != nil {
		return end{err: err}
	}
	defer os.RemoveAll(temp)
	cmd := exec.CommandContext(ctx, binary, "-test.run=^TestKernel$", "-test.timeout=0")
	cmd.Env = append(os.Environ(), driver.Variable+"="+string(text), "TMPDIR="+temp, "GODEBUG=tracebacklabels=1", "GOTRACEBACK=all")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return end{err: err}
	}
	if err := cmd.Start(); err != nil {
		return end{err: err}
	}
	e := follow(stdout, p, func() { cmd.Process.Signal(syscall.SIGQUIT) })
	e.err = errors.Join(e.err, cmd.Wait())
	e.output += stderr.String()
	return e
}

// follow reads reports until the process has closed its output.
func follow(stdout io.Reader, p patience, quit func()) (e end) {
	reports := make(chan driver.Report)
	var other strings.Builder
	go func() {
		defer close(reports)
		lines := bufio.NewReader(stdout)
		for {
			line, err := lines.ReadString('\n')
			var r driver.Report
			if text, ok := strings.CutPrefix(line, driver.Prefix); ok && json.Unmarshal([]byte(text), &r) == nil {
				reports <- r
			} else {
				other.WriteString(line)
			}
			if err != nil {
				return
			}
		}
	}()
	deadline := time.After(p.all)
	silence := time.NewTimer(p.report)
	for {
		select {
		case r, ok := <-reports:
			if !ok {
				e.output = other.String()
				return e
			}
			e.last = r
			silence.Reset(p.report)
		case <-silence.C:
			e.stalled = true
			quit()
		case <-deadline:
			e.expired = true
			quit()
		}
	}
}

var (
	panicLine = regexp.MustCompile(`(?m)^(?:panic|fatal error): .*$`)
	// A goroutine that runs or could run, in a bubble, and its stack.
	spinning = regexp.MustCompile(`(?m)^goroutine \d+ (?:gp=\S+ m=\S+ (?:mp=\S+ )?)?\[(running|runnable)[^\n]*synctest bubble[^\n]*\n((?:.+\n)*)`)
	frame    = regexp.MustCompile(`(?m)^(\S.*)\(.*\)\n\t(\S+:\d+)`)
)

// panicked gives the first line of a panic in the output of a process, or nothing.
func panicked(output string) string { return panicLine.FindString(output) }

// where gives the innermost place in a kernel of each goroutine that ran or could run when a stalled process was ended.
func where(output string) string {
	var places []string
	for _, m := range spinning.FindAllStringSubmatch(output, -1) {
		for _, f := range frame.FindAllStringSubmatch(m[2], -1) {
			if strings.HasPrefix(f[1], packageName+".") && len(places) < 3 {
				places = append(places, f[1]+" "+filepath.Base(f[2]))
				break
			}
		}
	}
	return strings.Join(places, "; ")
}
