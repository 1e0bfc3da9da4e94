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
	"github.com/hmdsefi/faultline/rewrite/source/sourcetest"
)

const large = "net/http"

// Packages of the standard library with many atomics and loops still have no errors after rewriting.
func TestStandardPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks large packages twice")
	}
	for _, path := range []string{"context", "database/sql", "go/scanner", "internal/poll", "log/slog", "net", large, "strconv", "time"} {
		t.Run(path, func(t *testing.T) {
			job, _ := standardPackage(t, path)
			result := sourcetest.Rewrite(t, job, rules...)
			for _, g := range result.Gaps {
				t.Log(g)
			}
			if result.Added == nil {
				return
			}
			sourcetest.CheckResult(t, job, result)
		})
	}
}

// standardPackage is a package of the standard library as the compiler gets it.
func standardPackage(t testing.TB, path string) (job source.Job, config string) {
	t.Helper()
	plain := build.Default
	plain.CgoEnabled = false
	p, err := plain.Import(path, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("go", "list", "-export", "-deps", "-f",
		"{{range $from, $to := .ImportMap}}importmap {{$from}}={{$to}}\n{{end}}{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}", path)
	list.Env = append(os.Environ(), "CGO_ENABLED=0")
	text, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	config = filepath.Join(t.TempDir(), "importcfg")
	if err := os.WriteFile(config, text, 0o666); err != nil {
		t.Fatal(err)
	}
	job = source.Job{Path: path, Arch: runtime.GOARCH}
	if job.Lookup, err = source.ImportConfig(config); err != nil {
		t.Fatal(err)
	}
	for _, name := range p.GoFiles {
		job.Files = append(job.Files, filepath.Join(p.Dir, name))
	}
	return job, config
}
