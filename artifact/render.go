// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"fmt"
	"os"
	"path/filepath"
)

// Render reads the artifact directory and writes the files that are rendered from
// others once more: report.txt, timeline.txt, timeline.html and hb.mmd, as far as
// the run has them. It returns their names. A file is replaced as a whole.
func Render(dir string) (names []string, err error) {
	run, err := Read(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range wantedFiles(run) {
		if !f.view {
			continue
		}
		if err := renderFile(dir, f, run); err != nil {
			return names, fmt.Errorf("artifact: %s: %w", filepath.Join(dir, f.name), err)
		}
		names = append(names, f.name)
	}
	return names, nil
}

func renderFile(dir string, f file, run *Run) error {
	temp, err := os.MkdirTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	path := filepath.Join(temp, f.name)
	if err := writeFile(path, run, f.write); err != nil {
		return err
	}
	return os.Rename(path, filepath.Join(dir, f.name))
}
