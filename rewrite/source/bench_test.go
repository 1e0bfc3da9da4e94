// SPDX-License-Identifier: MPL-2.0

package source_test

import (
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hmdsefi/faultline/rewrite/source"
)

// BenchmarkRewrite rewrites a large package of the standard library; BenchmarkCompile compiles it, to compare.
func BenchmarkRewrite(b *testing.B) {
	job, _ := largePackage(b)
	for b.Loop() {
		r, err := source.Rewrite(job, rules...)
		if err != nil || len(r.Files) == 0 {
			b.Fatalf("%d files changed, gaps %v, %v", len(r.Files), r.Gaps, err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	job, config := largePackage(b)
	object := filepath.Join(b.TempDir(), "a.a")
	args := append([]string{"tool", "compile", "-std", "-complete", "-p", job.Path, "-importcfg", config, "-o", object}, job.Files...)
	for b.Loop() {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
}

// largePackage is net/http as the compiler gets it.
func largePackage(b *testing.B) (job source.Job, config string) {
	const path = "net/http"
	p, err := build.Import(path, "", 0)
	if err != nil {
		b.Fatal(err)
	}
	list := exec.Command("go", "list", "-export", "-deps", "-f",
		"{{range $from, $to := .ImportMap}}importmap {{$from}}={{$to}}\n{{end}}{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}", path)
	text, err := list.Output()
	if err != nil {
		b.Fatal(err)
	}
	config = filepath.Join(b.TempDir(), "importcfg")
	if err := os.WriteFile(config, text, 0o666); err != nil {
		b.Fatal(err)
	}
	job = source.Job{Path: path, Arch: runtime.GOARCH}
	if job.Lookup, err = source.ImportConfig(config); err != nil {
		b.Fatal(err)
	}
	for _, name := range p.GoFiles {
		job.Files = append(job.Files, filepath.Join(p.Dir, name))
	}
	b.Logf("%s: %d files", path, len(job.Files))
	return job, config
}
