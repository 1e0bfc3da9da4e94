// SPDX-License-Identifier: MPL-2.0

//go:build unix

package toolexec

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// Execute turns this process into the program, which is looked up in PATH unless its name holds a separator. It
// returns only if that fails.
func Execute(program string, args []string) (int, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return 0, err
	}
	err = syscall.Exec(path, append([]string{program}, args...), os.Environ())
	return 0, fmt.Errorf("%s: %w", path, err)
}
