// SPDX-License-Identifier: MPL-2.0

//go:build !unix

package toolexec

import (
	"errors"
	"os"
	"os/exec"
)

// Execute runs the program, which is looked up in PATH unless its name holds a separator, and returns its exit
// code.
func Execute(program string, args []string) (int, error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
