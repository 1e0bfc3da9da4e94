// SPDX-License-Identifier: MPL-2.0

package prepare

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"time"
)

var (
	// ErrNotPrepared says that a toolchain has no entry in the cache.
	ErrNotPrepared = errors.New("not prepared")
	// ErrDamaged says that an entry, or the toolchain that it was made for, changed after Prepare.
	ErrDamaged = errors.New("prepared files have changed")
)

// Entry is the result of Prepare for one toolchain: patched sources of the standard library. It is read only,
// and safe for concurrent use.
type Entry struct {
	Dir       string
	Toolchain Toolchain
	manifest  manifest
}

// Sources are the patched files of one package of the standard library.
type Sources struct {
	Dir      string   // where the toolchain keeps the package
	EntryDir string   // where the entry keeps the files
	Replaced []string // base names of files that the toolchain has too
	Added    []string // base names of files that it does not have
}

// OpenEntry reads the manifest of the entry in dir. It does not look at the files: Verify and Sources do.
func OpenEntry(dir string, tc Toolchain) (*Entry, error) {
	root, err := openOwned(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, ErrNotPrepared
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	m, err := readManifest(root, tc.Version)
	if err != nil {
		return nil, err
	}
	return &Entry{Dir: dir, Toolchain: tc, manifest: m}, nil
}

// openOwned opens the directory of an entry, which no symbolic link may stand for: what that leads to is not ours. ErrDamaged makes
// Prepare put an entry in the place of the link.
func openOwned(dir string) (*os.Root, error) {
	if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("%w: %s is a symbolic link", ErrDamaged, dir)
	}
	return os.OpenRoot(dir)
}

// Touch records that the entry is in use. Prepare removes entries that are not for 30 days. A failure is no error: an entry that
// cannot be changed cannot be removed either.
func (e *Entry) Touch() {
	root, err := openOwned(e.Dir)
	if err != nil {
		return
	}
	defer root.Close()
	if now := time.Now(); olderThan(touchInterval, filepath.Join(e.Dir, manifestName)) {
		root.Chtimes(manifestName, now, now)
	}
}

// touchInterval spares the file system a write at each build.
const touchInterval = entryLife / 30

// Rules lists the rules that made the entry.
func (e *Entry) Rules() []Rule { return e.manifest.Rules }

// Files is the number of files that the entry replaces or adds.
func (e *Entry) Files() int { return len(e.manifest.Files) }

// Hash identifies the content of the entry's files. It does not depend on where the entry is.
func (e *Entry) Hash() string {
	h := sha256.New()
	for _, f := range e.manifest.Files {
		fmt.Fprintf(h, "%s %s\n", f.Path, f.Hash)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Verify checks every file of the entry, and every file of the toolchain that the entry replaces, against the
// manifest. What differs is named in an error that is ErrDamaged.
func (e *Entry) Verify() error {
	return e.verify(func(manifestFile) bool { return true })
}

// Sources returns the verified files of a package; ok is false if the entry leaves the package as it is.
func (e *Entry) Sources(importPath string) (s Sources, ok bool, err error) {
	dir := path.Join("src", importPath)
	s = Sources{Dir: absolute(e.Toolchain.Goroot, dir), EntryDir: absolute(e.Dir, dir)}
	mine := func(f manifestFile) bool { return path.Dir(f.Path) == importPath }
	for _, f := range e.manifest.Files {
		switch name := path.Base(f.Path); {
		case !mine(f):
		case f.added():
			s.Added = append(s.Added, name)
		default:
			s.Replaced = append(s.Replaced, name)
		}
	}
	return s, len(s.Added)+len(s.Replaced) > 0, e.verify(mine)
}

func (e *Entry) verify(choose func(manifestFile) bool) error {
	entry, err := openOwned(e.Dir)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer entry.Close()
	for _, f := range e.manifest.Files {
		if !choose(f) {
			continue
		}
		name := path.Join("src", f.Path)
		file, err := entry.Open(name)
		if err := checkHash(file, err, f.Hash); err != nil {
			return err
		}
		if f.added() {
			continue
		}
		file, err = os.Open(absolute(e.Toolchain.Goroot, name))
		if err := checkHash(file, err, f.Original); err != nil {
			return err
		}
	}
	return nil
}

// checkHash reads and closes a file that was just opened.
func checkHash(file *os.File, err error, want string) error {
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if hex.EncodeToString(h.Sum(nil)) != want {
		return fmt.Errorf("%w: %s", ErrDamaged, file.Name())
	}
	return nil
}
