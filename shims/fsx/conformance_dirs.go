// SPDX-License-Identifier: MPL-2.0

package fsx

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// dirStatements are about directories and their entries.
var dirStatements = []statement{
	{"mkdir: what exists, and what has no parent", mkdirRefused},
	{"mkdir: MkdirAll makes what is missing", mkdirAll},
	{"mkdir: MkdirTemp makes a new name each time", mkdirTempNames},
	{"list: ReadDir is sorted and tells files from directories", listSorted},
	{"list: File.ReadDir in steps", listSteps},
	{"list: what is no directory", listRefused},
	{"rename: a file, also over another", renameFile},
	{"rename: a directory with what is in it", renameDir},
	{"rename: refusals", renameRefused},
	{"remove: files and empty directories", removeOne},
	{"remove: RemoveAll removes trees, and nothing", removeTree},
	{"sync: SyncDir takes directories only", syncDirs},
}

func mkdirRefused(p *probe) {
	dir, file := p.mkdir("d"), p.file("f", "")
	p.fails("an existing directory", p.Mkdir(dir, 0o755), syscall.EEXIST)
	p.fails("an existing file", p.Mkdir(file, 0o755), syscall.EEXIST)
	p.fails("no parent", p.Mkdir(p.in("none/d"), 0o755), syscall.ENOENT)
	p.fails("below a file", p.Mkdir(file+"/d", 0o755), syscall.ENOTDIR)
}

func mkdirAll(p *probe) {
	for range 2 {
		p.ok("MkdirAll", p.MkdirAll(p.in("a/b/c"), 0o755))
	}
	p.lists(p.in("a/b"), "c")
	p.ok("MkdirAll of the root", p.MkdirAll("/", 0o755))
	file := p.file("a/f", "")
	p.fails("a file on the way", p.MkdirAll(file+"/d", 0o755), syscall.ENOTDIR)
	p.fails("a file at the end", p.MkdirAll(file, 0o755), syscall.ENOTDIR)
}

func mkdirTempNames(p *probe) {
	var names []string
	for _, pattern := range []string{"x-*-y", "x-*-y", "x-"} {
		name, err := p.MkdirTemp(p.dir, pattern)
		p.ok("MkdirTemp", err)
		p.same("in the directory", strings.HasPrefix(name, p.dir+"/x-"), true)
		p.same("the end", strings.HasSuffix(name, "-y"), strings.HasSuffix(pattern, "-y"))
		info, err := p.Stat(name)
		p.ok("Stat", err)
		p.same("IsDir", info.IsDir(), true)
		names = append(names, name)
	}
	slices.Sort(names)
	p.same("different names", len(slices.Compact(names)), 3)
	_, err := p.MkdirTemp(p.in("none"), "x")
	p.fails("no parent", err, syscall.ENOENT)
	_, err = p.MkdirTemp(p.dir, "a/b")
	p.same("a pattern with a separator fails", err != nil, true)
}

func listSorted(p *probe) {
	for _, name := range []string{"c", "a", "b"} {
		p.file(name, name)
	}
	p.mkdir("aa")
	p.lists(p.dir, "a", "aa", "b", "c")
	entries, err := p.ReadDir(p.dir)
	p.ok("ReadDir", err)
	for _, e := range entries {
		info, err := e.Info()
		p.ok("Info", err)
		p.same("name", info.Name(), e.Name())
		p.same("IsDir", e.IsDir(), e.Name() == "aa")
		p.same("type", e.Type(), info.Mode().Type())
	}
	p.ok("remove", p.Remove(p.in("b")))
	p.lists(p.dir, "a", "aa", "c")
	p.lists(p.in("aa"))
}

func listSteps(p *probe) {
	for _, name := range []string{"a", "b", "c"} {
		p.file(name, "")
	}
	f := p.open(p.dir, os.O_RDONLY)
	var names []string
	for _, size := range []int{2, 1} {
		entries, err := f.ReadDir(2)
		p.ok("ReadDir", err)
		p.same("number of entries", len(entries), size)
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	_, err := f.ReadDir(2)
	p.fails("ReadDir at the end", err, io.EOF)
	entries, err := f.ReadDir(-1)
	p.ok("ReadDir of the rest", err)
	p.same("the rest", len(entries), 0)
	slices.Sort(names)
	p.same("names", names, []string{"a", "b", "c"})
	_, err = f.Seek(0, io.SeekStart)
	p.ok("seek", err)
	entries, err = f.ReadDir(0)
	p.ok("ReadDir", err)
	p.same("all again", len(entries), 3)
	p.ok("close", f.Close())
}

func listRefused(p *probe) {
	name := p.file("f", "")
	_, err := p.ReadDir(name)
	p.fails("ReadDir of a file", err, syscall.ENOTDIR)
	_, err = p.ReadDir(p.in("none"))
	p.fails("ReadDir of nothing", err, syscall.ENOENT)
	f := p.open(name, os.O_RDONLY)
	_, err = f.ReadDir(0)
	p.fails("File.ReadDir of a file", err, syscall.ENOTDIR)
	p.ok("close", f.Close())
}

func renameFile(p *probe) {
	p.ok("to a new name", p.Rename(p.file("a", "a"), p.in("b")))
	p.lists(p.dir, "b")
	p.ok("over a file", p.Rename(p.in("b"), p.file("c", "c")))
	p.lists(p.dir, "c")
	p.holds(p.in("c"), "a")
	p.ok("to itself", p.Rename(p.in("c"), p.in("c")))
	p.mkdir("d")
	p.ok("into a directory", p.Rename(p.in("c"), p.in("d/c")))
	p.holds(p.in("d/c"), "a")
	p.lists(p.dir, "d")
}

func renameDir(p *probe) {
	p.mkdir("a")
	p.file("a/f", "content")
	p.mkdir("b")
	p.ok("into another", p.Rename(p.in("a"), p.in("b/c")))
	p.lists(p.dir, "b")
	p.holds(p.in("b/c/f"), "content")
}

func renameRefused(p *probe) {
	dir, file := p.mkdir("d"), p.file("f", "content")
	p.fails("nothing", p.Rename(p.in("none"), p.in("g")), syscall.ENOENT)
	p.fails("to no parent", p.Rename(file, p.in("none/g")), syscall.ENOENT)
	p.fails("below a file", p.Rename(dir, file+"/g"), syscall.ENOTDIR)
	p.fails("a file over a directory", p.Rename(file, dir), syscall.EEXIST)
	p.fails("a directory over a directory", p.Rename(dir, p.mkdir("e")), syscall.EEXIST)
	p.fails("a directory over a file", p.Rename(dir, file), syscall.ENOTDIR)
	p.fails("a directory into itself", p.Rename(dir, dir+"/g"), syscall.EINVAL)
	err := p.Rename(p.in("none"), p.in("g"))
	var le *os.LinkError
	p.same("the error is a *os.LinkError", errors.As(err, &le), true)
	p.same("its fields", *le, os.LinkError{Op: "rename", Old: p.in("none"), New: p.in("g"), Err: syscall.ENOENT})
	p.holds(file, "content")
}

func removeOne(p *probe) {
	p.ok("a file", p.Remove(p.file("f", "")))
	p.ok("an empty directory", p.Remove(p.mkdir("d")))
	p.lists(p.dir)
	p.fails("nothing", p.Remove(p.in("f")), syscall.ENOENT)
	p.mkdir("d")
	p.file("d/f", "")
	p.fails("a directory in use", p.Remove(p.in("d")), syscall.ENOTEMPTY)
	p.fails("below a file", p.Remove(p.in("d/f/g")), syscall.ENOTDIR)
}

func removeTree(p *probe) {
	p.ok("MkdirAll", p.MkdirAll(p.in("a/b/c"), 0o755))
	p.file("a/f", "")
	p.file("a/b/f", "")
	p.ok("a tree", p.RemoveAll(p.in("a")))
	p.ok("a file", p.RemoveAll(p.file("f", "")))
	p.ok("nothing", p.RemoveAll(p.in("none")))
	p.ok("nothing in nothing", p.RemoveAll(p.in("none/f")))
	p.lists(p.dir)
}

func syncDirs(p *probe) {
	name := p.file("f", "")
	p.ok("a directory", p.SyncDir(p.dir))
	p.ok("the root", p.SyncDir("/"))
	p.fails("a file", p.SyncDir(name), syscall.ENOTDIR)
	p.fails("nothing", p.SyncDir(p.in("none")), fs.ErrNotExist)
}
