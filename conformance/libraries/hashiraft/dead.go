// SPDX-License-Identifier: MPL-2.0

package hashiraft

import (
	"errors"
	"runtime"
	"syscall"
)

// stopIfDead returns err, unless it says that the machine has crashed: then nobody is left who could act on it, and the
// goroutine ends. Raft panics when its store refuses a new term, and takes the whole test with it.
func stopIfDead(err error) error {
	if errors.Is(err, syscall.ESTALE) {
		runtime.Goexit()
	}
	return err
}
