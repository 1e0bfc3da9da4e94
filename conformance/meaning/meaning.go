// SPDX-License-Identifier: MPL-2.0

// Package meaning compares programs and tests with themselves, built plainly and through the wrapper: what they print, how they
// end, which tests pass. What is compared is of the main module, so that every source rule applies to it. Nothing of what it builds
// is kept in this repository: the programs are those of the toolchain's test folder, the suites come from the module proxy.
//
// The package must not know the rules of the wrapper.
package meaning

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const wrapperPackage = "github.com/hmdsefi/faultline/cmd/faultline-toolexec"

// Build says how something is built: through the wrapper at a path, or plainly when there is none.
type Build struct {
	Wrapper string
}

// Builds are the two that are compared.
func Builds(wrapper string) [2]Build { return [2]Build{{}, {Wrapper: wrapper}} }

// String names the build.
func (b Build) String() string {
	if b.Wrapper == "" {
		return "plain"
	}
	return "wrapped"
}

// command is a go command in a module of its own.
func (b Build) command(ctx context.Context, dir, verb string, args ...string) *exec.Cmd {
	all := []string{verb}
	if b.Wrapper != "" {
		all = append(all, "-toolexec='"+b.Wrapper+"'")
	}
	return goCommand(ctx, dir, append(all, args...)...)
}

func goCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	// What go.sum has no line for is looked up: a published module need not have those of its tests.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -buildvcs=false")
	return cmd
}

func goOutput(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := goCommand(ctx, dir, args...).Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Wrapper makes the wrapper ready for the toolchain in use and returns its path. An empty path means to build one in dir, which needs
// the workspace of this project.
func Wrapper(ctx context.Context, path, dir string) (string, error) {
	if path == "" {
		path = filepath.Join(dir, "faultline-toolexec")
		build := exec.CommandContext(ctx, "go", "build", "-o", path, wrapperPackage)
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", build, err, out)
		}
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	prepare := exec.CommandContext(ctx, path, "prepare")
	if out, err := prepare.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", prepare, err, out)
	}
	return path, nil
}

// writeModule writes the go.mod of a module whose language version is the toolchain's.
func writeModule(ctx context.Context, dir string) error {
	version, err := goOutput(ctx, "", "env", "GOVERSION")
	if err != nil {
		return err
	}
	text := "module " + modulePath + "\n\ngo " + strings.TrimPrefix(version, "go") + "\n"
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o666)
}

// modulePath is that of every module that this package writes.
const modulePath = "meaning.test"
