// SPDX-License-Identifier: MPL-2.0

package prepare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Toolchain is one installed Go distribution.
type Toolchain struct {
	Goroot  string // absolute path
	Version string // such as go1.26.8
}

// FindToolchain returns the toolchain that the go command uses in dir. It honours GOTOOLCHAIN and the go.mod or
// go.work file there, as every go command does.
func FindToolchain(ctx context.Context, dir string) (Toolchain, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOROOT")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return Toolchain{}, fmt.Errorf("go env GOROOT: %w", withStderr(err))
	}
	return ToolchainAt(strings.TrimSpace(string(out)))
}

// ToolchainAt returns the toolchain of a GOROOT directory. A development version, which has no VERSION file, is
// an error.
func ToolchainAt(goroot string) (Toolchain, error) {
	data, err := os.ReadFile(filepath.Join(goroot, "VERSION"))
	if err != nil {
		return Toolchain{}, fmt.Errorf("the Go toolchain is not a release: %w", err)
	}
	version, _, _ := strings.Cut(string(data), "\n")
	version = strings.TrimSpace(version)
	if !strings.HasPrefix(version, "go1.") || strings.ContainsAny(version, `/\ `) {
		return Toolchain{}, fmt.Errorf("the Go toolchain in %s is not a release: its VERSION is %q", goroot, version)
	}
	return Toolchain{Goroot: goroot, Version: version}, nil
}

// command is a go command of exactly this toolchain.
func (tc Toolchain) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(tc.Goroot, "bin", "go"), args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GOTOOLCHAIN=local", "GOROOT="+tc.Goroot)
	return cmd
}

// ToolexecFlag is the go command's flag that runs every tool through the program at path. The go command splits
// the flag's value at spaces and knows quotes, but no escapes.
func ToolexecFlag(path string) (string, error) {
	for _, quote := range []string{"", "'", `"`} {
		if quote == "" && strings.ContainsAny(path, " \t\r\n'\"") {
			continue
		}
		if quote == "" || !strings.Contains(path, quote) {
			return "-toolexec=" + quote + path + quote, nil
		}
	}
	return "", fmt.Errorf("the path of the wrapper holds both kinds of quotes, which the go command cannot take: %s", path)
}

// withStderr adds what a command wrote to its standard error.
func withStderr(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return errors.New(strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}
