// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hmdsefi/faultline/artifact"
)

// earlierWarnings compares a run with what the artifact that it will replace says
// of its own, and tells what is different: reasons for which a seed may not do what it
// did before.
func earlierWarnings(root string, now *artifact.Report) []string {
	before, ok := earlierReport(artifact.Dir(root, now.Package, now.Test, uint64(now.Seed)))
	if !ok {
		return nil
	}
	var warnings []string
	for _, d := range []struct{ what, before, now string }{
		{"faultline", before.Versions.Faultline, now.Versions.Faultline},
		{"Go", before.Versions.Go, now.Versions.Go},
		{"system", before.Versions.OS + "/" + before.Versions.Arch, now.Versions.OS + "/" + now.Versions.Arch},
		{"test binary", before.Versions.BinaryHash, now.Versions.BinaryHash},
		{"hash of options", before.OptionsHash.String(), now.OptionsHash.String()},
	} {
		if d.before != d.now {
			warnings = append(warnings, fmt.Sprintf("the earlier artifact of this seed has another %s: %s, now %s", d.what, d.before, d.now))
		}
	}
	return warnings
}

// earlierReport reads the report of an artifact directory as far as it matters here.
// A directory that has none, or one that cannot be read, is no earlier artifact.
func earlierReport(dir string) (r artifact.Report, ok bool) {
	data, err := os.ReadFile(filepath.Join(dir, artifact.ReportFile))
	return r, err == nil && json.Unmarshal(data, &r) == nil
}
