// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// marked are the tools whose version line carries the marker: the ones whose output depends on the wrapper.
// The assembler reads nothing that the wrapper changes but the header that the compiler writes in the same
// build action, and that action's ID holds the compiler's version line.
var marked = map[string]bool{"compile": true, "link": true}

// outputVariables are the environment variables that change what the wrapper makes of a package.
var outputVariables = []string{"FAULTLINE_TOOLEXEC_STD", "FAULTLINE_TOOLEXEC_DEPS"}

// mark answers -V=full. The go command makes the line part of the ID of everything that the tool builds; of a
// development version it takes only what follows the last slash of the last field.
func (w Wrapper) mark(tool string) error {
	e, err := w.entry(tool)
	if err != nil {
		return err
	}
	if err := e.Verify(); err != nil {
		return withCure(err)
	}
	cache, err := w.Cache()
	if err != nil {
		return err
	}
	cmd := exec.Command(tool, "-V=full")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s -V=full: %w", tool, err)
	}
	line := strings.TrimSpace(string(out))
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n", line, cache.Identity, e.Hash())
	for _, name := range outputVariables {
		fmt.Fprintf(h, "%s=%q\n", name, os.Getenv(name))
	}
	_, err = fmt.Printf("%s +faultline buildID=_/_/_/%x\n", line, h.Sum(nil)[:16])
	return err
}
