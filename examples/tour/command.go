// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// repository returns the folder of the faultline module that go run works in.
func repository(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		return "", fmt.Errorf("run it in a clone of %s", module)
	}
	return dir, nil
}

// exec runs a command in the repository and returns all that it printed.
func (t *tour) exec(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = t.root
	cmd.Env = append(t.environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return string(out), err
}

func (t *tour) succeed(ctx context.Context, name string, args ...string) error {
	out, err := t.exec(ctx, nil, name, args...)
	return unexpected(err, out)
}

// environ is the caller's environment without settings that would change what the tour shows, and with the wrapper on
// the PATH, where the replay command looks for it.
func (t *tour) environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "FAULTLINE_") || strings.HasPrefix(entry, "GITHUB_")
	})
	path := filepath.Dir(t.wrapper()) + string(os.PathListSeparator) + os.Getenv("PATH")
	return append(env, "PATH="+path, "FAULTLINE_ARTIFACTS="+t.artifacts())
}

// shownLines bounds what an error quotes of a command's output.
const shownLines = 40

// unexpected adds to err the end of what the command printed.
func unexpected(err error, out string) error {
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	lines = lines[max(0, len(lines)-shownLines):]
	return fmt.Errorf("%w\n%s", err, strings.Join(lines, "\n"))
}

// quote prints a command's output as part of the tour.
func (t *tour) quote(out string) {
	for line := range strings.Lines(out) {
		fmt.Fprint(t.out, "      | ", line)
	}
}
