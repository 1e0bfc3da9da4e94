// SPDX-License-Identifier: MPL-2.0

package meaning

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Outcome is what a process did, as far as it can be the same twice.
type Outcome struct {
	End    string `json:"end"` // how it ended, such as "exit status 2"
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`
}

// unfinished is the end of a process that was killed since it took too long.
const unfinished = "took too long"

// run runs a program in an empty folder. Its name does not tell one build from the other.
func run(ctx context.Context, binary string, args []string, patience time.Duration) (Outcome, error) {
	dir, err := os.MkdirTemp("", "meaning-run-")
	if err != nil {
		return Outcome{}, err
	}
	defer os.RemoveAll(dir)
	limited, stop := context.WithTimeout(ctx, patience)
	defer stop()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(limited, binary, args...)
	cmd.Args[0] = filepath.Base(binary)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	var exit *exec.ExitError
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return Outcome{}, ctx.Err()
	case limited.Err() != nil:
		return Outcome{End: unfinished}, nil
	case err != nil && !errors.As(err, &exit):
		return Outcome{}, err
	}
	return Outcome{
		End:    cmd.ProcessState.String(),
		Stdout: normal(stdout.String(), dir),
		Stderr: normal(stderr.String(), dir),
	}, nil
}

// varying are the parts of an output that differ between any two processes, or since the wrapper changes standard packages: addresses,
// goroutine numbers, and in stacks the lines of those packages and the frames of its own functions there.
var varying = []struct {
	part *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`0x[0-9a-f]+\??`), "0x?"},
	{regexp.MustCompile(`\bgoroutine \d+\b`), "goroutine ?"},
	{regexp.MustCompile(`(?m)^(?:sync|internal/sync|runtime)\.\S*faultline\w*\(.*\n\t.*\n`), ""},
	{regexp.MustCompile(`(/src/(?:runtime|sync|internal|crypto|hash)/[\w/]+\.go):\d+`), "$1:?"},
}

// normal replaces what varies in an output.
func normal(text, dir string) string {
	text = strings.ReplaceAll(text, dir, "DIR")
	for _, v := range varying {
		text = v.part.ReplaceAllString(text, v.by)
	}
	return text
}
