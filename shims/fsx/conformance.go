// SPDX-License-Identifier: MPL-2.0

package fsx

import (
	"errors"
	"fmt"
	"reflect"
)

// Check is one statement about how an FS behaves.
type Check struct {
	Name string
	// Run returns nil if fsys behaves so. It works in a directory of its own, which
	// it makes in the root and removes again.
	Run func(fsys FS) error
}

// Conformance returns the checks that OS and Sim pass, for use with another
// implementation. They are independent of each other.
func Conformance() []Check {
	var checks []Check
	for _, group := range [][]statement{fileStatements, contentStatements, dirStatements, nameStatements, lockStatements} {
		for _, s := range group {
			checks = append(checks, Check{Name: s.name, Run: s.check})
		}
	}
	return checks
}

// statement is a check that speaks through a probe.
type statement struct {
	name string
	run  func(p *probe)
}

func (s statement) check(fsys FS) (err error) {
	dir, err := fsys.MkdirTemp("", "conformance-*")
	if err != nil {
		return fmt.Errorf("%s: make a directory to work in: %w", s.name, err)
	}
	defer func() { err = errors.Join(err, fsys.RemoveAll(dir)) }()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case finding:
			err = fmt.Errorf("%s: %w", s.name, r.err)
		default:
			panic(r)
		}
	}()
	s.run(&probe{FS: fsys, dir: dir})
	return nil
}

// finding is what a probe panics with at the first thing that is not as it should
// be, so that statements read as a list of steps.
type finding struct{ err error }

// probe is an FS with a directory to work in and ways to state what must hold.
type probe struct {
	FS
	dir string
}

// in returns the path of name in the probe's directory.
func (p *probe) in(name string) string { return p.dir + "/" + name }

// ok states that a step succeeds.
func (p *probe) ok(step string, err error) {
	if err != nil {
		panic(finding{fmt.Errorf("%s: %w", step, err)})
	}
}

// fails states that a step fails for a reason.
func (p *probe) fails(step string, err, reason error) {
	if !errors.Is(err, reason) {
		panic(finding{fmt.Errorf("%s: got error %v, want %q", step, err, reason)})
	}
}

// same states that a step has a result.
func (p *probe) same(step string, got, want any) {
	if !reflect.DeepEqual(got, want) {
		panic(finding{fmt.Errorf("%s: got %v, want %v", step, got, want)})
	}
}

// step is a use of a file or an FS under a name.
type step struct {
	name string
	use  func() (int, error)
}

// file makes a file and returns its path.
func (p *probe) file(name, content string) string {
	p.ok("write "+name, p.WriteFile(p.in(name), []byte(content), 0o644))
	return p.in(name)
}

// mkdir makes a directory and returns its path.
func (p *probe) mkdir(name string) string {
	p.ok("mkdir "+name, p.Mkdir(p.in(name), 0o755))
	return p.in(name)
}

// open opens a file that must open.
func (p *probe) open(path string, flag int) File {
	f, err := p.OpenFile(path, flag, 0o644)
	p.ok("open "+path, err)
	return f
}

// holds states the content of a file.
func (p *probe) holds(path, content string) {
	data, err := p.ReadFile(path)
	p.ok("read "+path, err)
	p.same("content of "+path, string(data), content)
}

// lists states the names in a directory.
func (p *probe) lists(path string, want ...string) {
	entries, err := p.ReadDir(path)
	p.ok("list "+path, err)
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	p.same("names in "+path, names, append([]string{}, want...))
}
