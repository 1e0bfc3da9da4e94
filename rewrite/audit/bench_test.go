// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hmdsefi/faultline/rewrite/audit"
	"github.com/hmdsefi/faultline/rewrite/source"
	"github.com/hmdsefi/faultline/rewrite/source/sourcetest"
)

// thousand writes a package of a thousand files, in each of which the rule finds something.
func thousand(b *testing.B) source.Job {
	b.Helper()
	dir := b.TempDir()
	for i := range 1000 {
		text := fmt.Sprintf(file, i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", i)), []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	return sourcetest.JobOf(b, dir)
}

const file = `package thousand

import (
	"fmt"
	"os"
	"sync"
)

type store%[1]d struct {
	mu     sync.Mutex
	values map[string]*store%[1]d
	name   string
}

func (s *store%[1]d) get(name string) (*store%[1]d, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.values[name]; ok {
		return v, nil
	}
	return nil, fmt.Errorf("%%s has no %%q", s.name, name)
}

func (s *store%[1]d) load(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("load %%s: %%w", name, err)
	}
	for i, c := range text {
		if c == '\n' {
			fmt.Printf("%%d: %%v\n", i, s)
			s.values[string(text[:i])] = &store%[1]d{name: name}
		}
	}
	return nil
}
`

// BenchmarkThousandFiles finds the gaps of a large package; BenchmarkCompile compiles it, to compare.
func BenchmarkThousandFiles(b *testing.B) {
	job := thousand(b)
	for b.Loop() {
		r, err := source.Rewrite(job, audit.Rule())
		if err != nil || len(r.Gaps) != 2000 {
			b.Fatalf("%d gaps, %v", len(r.Gaps), err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	job := thousand(b)
	config := filepath.Join(b.TempDir(), "importcfg")
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}",
		"fmt", "os", "sync").Output()
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(config, out, 0o666); err != nil {
		b.Fatal(err)
	}
	args := append([]string{"tool", "compile", "-c=1", "-complete", "-p", job.Path, "-importcfg", config, "-o", filepath.Join(b.TempDir(), "a.a")}, job.Files...)
	for b.Loop() {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
}
