// SPDX-License-Identifier: MPL-2.0

package source_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hmdsefi/faultline/rewrite/source"
)

// BenchmarkRewrite rewrites a large package of the standard library; BenchmarkCompile compiles it, to compare.
func BenchmarkRewrite(b *testing.B) {
	job, _ := standardPackage(b, large)
	for b.Loop() {
		r, err := source.Rewrite(job, rules...)
		if err != nil || len(r.Files) == 0 {
			b.Fatalf("%d files changed, gaps %v, %v", len(r.Files), r.Gaps, err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	job, config := standardPackage(b, large)
	object := filepath.Join(b.TempDir(), "a.a")
	args := append([]string{"tool", "compile", "-std", "-complete", "-p", job.Path, "-importcfg", config, "-o", object}, job.Files...)
	for b.Loop() {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
}
