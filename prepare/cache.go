// SPDX-License-Identifier: MPL-2.0

package prepare

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Cache is the directory of prepared toolchains.
type Cache struct {
	Dir      string // created when needed
	Identity string // what decides an entry besides the toolchain: the wrapper and what it patches with
}

const (
	partialPrefix = ".partial-"
	// partialLife is far more than a preparation takes: an older one was killed.
	partialLife = 24 * time.Hour
)

// DefaultDir is the cache directory of the user who runs the program.
func DefaultDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache directory: %w", err)
	}
	return filepath.Join(dir, "faultline"), nil
}

// Path is where the entry of a toolchain is, or would be.
func (c Cache) Path(tc Toolchain) string {
	key := hashOf([]byte(c.Identity + "\x00" + tc.Goroot))
	return filepath.Join(c.Dir, tc.Version+"-"+key[:16])
}

// Open returns the verified entry of a toolchain. Its error is ErrNotPrepared or ErrDamaged where Prepare is the
// cure.
func (c Cache) Open(tc Toolchain) (*Entry, error) {
	e, err := OpenEntry(c.Path(tc), tc)
	if err != nil {
		return nil, err
	}
	return e, e.Verify()
}

// begin makes an empty directory for an entry in the making, and removes those of preparations that were killed.
func (c Cache) begin() (string, error) {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return "", unwritable(err)
	}
	old, err := filepath.Glob(filepath.Join(c.Dir, partialPrefix+"*"))
	if err != nil {
		return "", err
	}
	for _, dir := range old {
		if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) > partialLife {
			os.RemoveAll(dir)
		}
	}
	dir, err := os.MkdirTemp(c.Dir, partialPrefix)
	if err != nil {
		return "", unwritable(err)
	}
	return dir, nil
}

// publish moves a finished entry to its place. If another preparation was faster, its entry is as good.
func (c Cache) publish(partial string, tc Toolchain) (*Entry, error) {
	final := c.Path(tc)
	var err error
	for attempt := range 3 {
		if err = os.Rename(partial, final); err == nil {
			return OpenEntry(final, tc)
		}
		e, openErr := c.Open(tc)
		if openErr == nil {
			return e, nil
		}
		if errors.Is(openErr, ErrDamaged) { // out of the way, under a name that is cleaned up in any case
			aside := fmt.Sprintf("%s-damaged%d", partial, attempt)
			os.Rename(final, aside)
			os.RemoveAll(aside)
		}
	}
	return nil, unwritable(err)
}

// unwritable says what to do about a cache directory that cannot be written.
func unwritable(err error) error {
	return fmt.Errorf("cannot write the cache directory: %w", err)
}
