// SPDX-License-Identifier: MPL-2.0

package fsx

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
)

// nameStatements are about names, in arguments and in errors.
var nameStatements = []statement{
	{"names: one file has many", nameForms},
	{"names: .. ends at the root", nameEscapes},
	{"names: what cannot be one", nameRefused},
	{"names: errors repeat them as they were given", nameInErrors},
}

func nameForms(p *probe) {
	name := p.file("f", "content")
	relative := strings.TrimPrefix(name, "/")
	for _, form := range []string{relative, "/" + relative, "./" + relative, "//" + relative, p.in("./f"), p.in("none/../f"), name + "/."} {
		p.holds(form, "content")
	}
	for _, root := range []string{"/", ".", "./.", "/.."} {
		info, err := p.Stat(root)
		p.ok("Stat "+root, err)
		p.same("IsDir", info.IsDir(), true)
	}
}

func nameEscapes(p *probe) {
	name := p.file("f", "content")
	p.holds("/../../"+name, "content")
	p.holds("../"+name, "content")
}

func nameRefused(p *probe) {
	_, err := p.Open("")
	p.fails("an empty name", err, syscall.ENOENT)
	_, err = p.Stat("")
	p.fails("an empty name", err, syscall.ENOENT)
	_, err = p.Create(p.in("a\x00b"))
	p.fails("a zero byte", err, syscall.EINVAL)
	p.file(strings.Repeat("n", 255), "")
	_, err = p.Create(p.in(strings.Repeat("n", 256)))
	p.fails("more than 255 bytes", err, syscall.ENAMETOOLONG)
}

func nameInErrors(p *probe) {
	name := "/./" + p.in("none")
	for _, s := range []step{
		{"open", func() (int, error) { _, err := p.Open(name); return 0, err }},
		{"open", func() (int, error) { _, err := p.ReadFile(name); return 0, err }},
		{"stat", func() (int, error) { _, err := p.Stat(name); return 0, err }},
		{"lstat", func() (int, error) { _, err := p.Lstat(name); return 0, err }},
		{"readdir", func() (int, error) { _, err := p.ReadDir(name); return 0, err }},
		{"mkdir", func() (int, error) { return 0, p.Mkdir(name+"/d", 0o755) }},
		{"remove", func() (int, error) { return 0, p.Remove(name) }},
		{"truncate", func() (int, error) { return 0, p.Truncate(name, 0) }},
		{"syncdir", func() (int, error) { return 0, p.SyncDir(name) }},
	} {
		_, err := s.use()
		var pe *fs.PathError
		p.same(s.name+" gives a *fs.PathError", errors.As(err, &pe), true)
		p.same(s.name+" names the file", strings.TrimSuffix(pe.Path, "/d"), name)
		p.same("operation", pe.Op, s.name)
		p.same(s.name+" gives the reason", pe.Err, error(syscall.ENOENT))
	}
}
