// SPDX-License-Identifier: MPL-2.0

package prepare

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
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
	// entryLife is for how long an entry is kept that nobody uses, far more than a build takes.
	entryLife = 30 * 24 * time.Hour
)

// entryName is what Path calls entries. Whatever else is in the directory is left alone.
var entryName = regexp.MustCompile(`^go1[0-9a-z.]*-[0-9a-f]{16}$`)

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
	e.Touch()
	return e, e.Verify()
}

// begin makes an empty directory for an entry in the making, and removes what nobody needs any more.
func (c Cache) begin() (string, error) {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return "", unwritable(err)
	}
	c.prune()
	dir, err := os.MkdirTemp(c.Dir, partialPrefix)
	if err != nil {
		return "", unwritable(err)
	}
	return dir, nil
}

// prune removes what killed preparations left, and entries that were not used for long: each new version of the wrapper adds one. An
// entry gets the name of a partial one first, so that it goes as a whole, also if this process is killed. What cannot be removed
// stays; it harms nobody.
func (c Cache) prune() {
	names, err := os.ReadDir(c.Dir)
	if err != nil {
		return
	}
	for _, name := range names {
		file := filepath.Join(c.Dir, name.Name())
		switch {
		case strings.HasPrefix(name.Name(), partialPrefix):
			if olderThan(partialLife, file) {
				os.RemoveAll(file)
			}
		case name.IsDir() && entryName.MatchString(name.Name()) && olderThan(entryLife, filepath.Join(file, manifestName)):
			aside := filepath.Join(c.Dir, partialPrefix+name.Name())
			if os.Rename(file, aside) == nil {
				os.RemoveAll(aside)
			}
		}
	}
}

func olderThan(age time.Duration, file string) bool {
	info, err := os.Lstat(file)
	return err == nil && time.Since(info.ModTime()) > age
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
