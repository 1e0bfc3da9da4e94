// SPDX-License-Identifier: MPL-2.0

//go:build unix

package source_test

import (
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/rewrite/source"
)

// BenchmarkRewrite rewrites a large package of the standard library; BenchmarkCompile compiles it, to compare. Both say how much
// processor time a thousand such files take.
func BenchmarkRewrite(b *testing.B) {
	job, _ := standardPackage(b, large)
	before := processorTime(b, syscall.RUSAGE_SELF)
	for b.Loop() {
		r, err := source.Rewrite(job, rules...)
		if err != nil || len(r.Files) == 0 {
			b.Fatalf("%d files changed, gaps %v, %v", len(r.Files), r.Gaps, err)
		}
	}
	reportFiles(b, len(job.Files), processorTime(b, syscall.RUSAGE_SELF)-before)
}

func BenchmarkCompile(b *testing.B) {
	job, config := standardPackage(b, large)
	object := filepath.Join(b.TempDir(), "a.a")
	args := append([]string{"tool", "compile", "-std", "-complete", "-p", job.Path, "-importcfg", config, "-o", object}, job.Files...)
	before := processorTime(b, syscall.RUSAGE_CHILDREN)
	for b.Loop() {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	reportFiles(b, len(job.Files), processorTime(b, syscall.RUSAGE_CHILDREN)-before)
}

// processorTime is what this process, or its children, have used.
func processorTime(b *testing.B, who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func reportFiles(b *testing.B, files int, used time.Duration) {
	b.ReportMetric(used.Seconds()/float64(b.N*files)*1000, "cpu-s/1000files")
}
