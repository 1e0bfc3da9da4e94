// SPDX-License-Identifier: MPL-2.0

package scoreboard

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const project = "github.com/hmdsefi/faultline"

// table is the file of package goker that the kernels register with.
const table = `package ` + packageName + `

var (
	` + tableName + ` = map[string]func(){}
	` + copyName + ` int
)

func register(name string, entry func()) { ` + tableName + `[name] = entry }
`

// test is the test of package goker: it hands the kernels to the driver.
const test = `package ` + packageName + `

import (
	"testing"

	"` + project + `/conformance/scoreboard/driver"
)

func TestKernel(t *testing.T) {
	driver.Run(t, ` + tableName + `, &` + copyName + `)
}
`

// writeModule writes a module with the adapted kernels of a GOROOT into a folder, and a workspace around it that takes this project's
// modules from where they are, so that building needs no network. It must run inside the project's workspace.
func writeModule(ctx context.Context, goroot, dir string) error {
	if err := adaptAll(goroot, dir); err != nil {
		return err
	}
	root, err := goOutput(ctx, "list", "-m", "-f", "{{.Dir}}", project)
	if err != nil {
		return err
	}
	workspace := fmt.Sprintf("go 1.26.0\n\nuse (\n\t.\n\t%q\n\t%q\n)\n\nreplace %s v0.2.0 => %q\n",
		root, filepath.Join(root, "conformance"), project, root)
	for name, text := range map[string]string{
		"table.go":       table,
		"kernel_test.go": test,
		"go.mod":         "module " + packageName + "\n\ngo 1.26.0\n",
		"go.work":        workspace,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// GOROOT returns the root of the toolchain that the go command uses here.
func GOROOT(ctx context.Context) (string, error) { return goOutput(ctx, "env", "GOROOT") }

// Toolchain returns the version of that toolchain and what it builds for, such as "go1.26.8 linux/amd64".
func Toolchain(ctx context.Context) (string, error) {
	out, err := goOutput(ctx, "env", "GOVERSION", "GOOS", "GOARCH")
	if err != nil {
		return "", err
	}
	lines := strings.Fields(out)
	return fmt.Sprintf("%s %s/%s", lines[0], lines[1], lines[2]), nil
}

func goOutput(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", args...).Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
