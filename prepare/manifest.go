// SPDX-License-Identifier: MPL-2.0

package prepare

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	manifestName   = "manifest.json"
	manifestFormat = 1
)

// manifest lists what an entry holds. Its hashes are checked before a file of the entry is used.
type manifest struct {
	Format    int            `json:"faultline_prepared"`
	Toolchain string         `json:"toolchain"`
	Rules     []Rule         `json:"rules"`
	Files     []manifestFile `json:"files"` // sorted by path
}

type manifestFile struct {
	Path     string `json:"path"`               // slash-separated, below src in the entry and below GOROOT/src
	Hash     string `json:"hash"`               // of the file in the entry
	Original string `json:"original,omitempty"` // of the toolchain's own file, empty for an added one
}

func (f manifestFile) added() bool { return f.Original == "" }

// writeEntry fills the empty directory dir with the files of a patch and their manifest.
func writeEntry(dir string, tc Toolchain, patch *Patch) error {
	m := manifest{Format: manifestFormat, Toolchain: tc.Version, Rules: patch.Rules}
	for name, content := range patch.Files {
		f := manifestFile{Path: name, Hash: hashOf(content)}
		if !patch.Added[name] {
			original, err := os.ReadFile(absolute(tc.Goroot, path.Join("src", name)))
			if err != nil {
				return err
			}
			f.Original = hashOf(original)
		}
		target := absolute(dir, path.Join("src", name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return err
		}
		m.Files = append(m.Files, f)
	}
	slices.SortFunc(m.Files, func(a, b manifestFile) int { return strings.Compare(a.Path, b.Path) })
	data, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, manifestName), append(data, '\n'), 0o644)
}

// readManifest reads the manifest of an entry. Its errors are ErrDamaged.
func readManifest(root *os.Root, version string) (manifest, error) {
	var m manifest
	data, err := root.ReadFile(manifestName)
	if err != nil {
		return m, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%w: %s: %w", ErrDamaged, manifestName, err)
	}
	if m.Format != manifestFormat || m.Toolchain != version {
		return m, fmt.Errorf("%w: %s is format %d for %s, not format %d for %s", ErrDamaged, manifestName,
			m.Format, m.Toolchain, manifestFormat, version)
	}
	for _, f := range m.Files {
		if !fs.ValidPath(f.Path) || !strings.HasSuffix(f.Path, ".go") {
			return m, fmt.Errorf("%w: %s lists %q", ErrDamaged, manifestName, f.Path)
		}
	}
	return m, nil
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
