// SPDX-License-Identifier: MPL-2.0

package fsx

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
)

// fileStatements are about opening, closing and handles.
var fileStatements = []statement{
	{"open: a missing file", openMissing},
	{"open: O_EXCL refuses a file that exists", openExclusive},
	{"open: O_TRUNC and Create empty a file, O_CREATE alone does not", openTruncate},
	{"open: a directory only for reading", openDirectory},
	{"handle: reading and writing follow the access mode", handleAccess},
	{"handle: every use after Close fails", handleClosed},
	{"handle: two handles see each other's writes", handleShared},
	{"handle: a removed file lives on in its handles", handleUnlinked},
	{"handle: a replaced file lives on in its handles", handleReplaced},
	{"handle: a renamed file is the same file", handleRenamed},
	{"append: writes go to the end", appendToEnd},
	{"append: goroutines lose no write of each other", appendConcurrently},
	{"append: WriteAt is refused", appendWriteAt},
	{"stat: size, kind, name and time", statFile},
}

func openMissing(p *probe) {
	_, err := p.Open(p.in("none"))
	p.fails("open", err, syscall.ENOENT)
	p.fails("open", err, fs.ErrNotExist)
	_, err = p.OpenFile(p.in("none"), os.O_RDWR, 0)
	p.fails("open for writing", err, syscall.ENOENT)
	_, err = p.Create(p.in("none/f"))
	p.fails("create without a parent", err, syscall.ENOENT)
	_, err = p.Create(p.file("f", "") + "/g")
	p.fails("create below a file", err, syscall.ENOTDIR)
	_, err = p.ReadFile(p.in("none"))
	p.fails("ReadFile", err, syscall.ENOENT)
	_, err = p.Stat(p.in("none"))
	p.fails("Stat", err, syscall.ENOENT)
	_, err = p.Lstat(p.in("none"))
	p.fails("Lstat", err, syscall.ENOENT)
}

func openExclusive(p *probe) {
	flags := os.O_RDWR | os.O_CREATE | os.O_EXCL
	p.ok("close", p.open(p.in("new"), flags).Close())
	_, err := p.OpenFile(p.in("new"), flags, 0o644)
	p.fails("open again", err, syscall.EEXIST)
	_, err = p.OpenFile(p.mkdir("d"), flags, 0o644)
	p.fails("open a directory", err, syscall.EEXIST)
}

func openTruncate(p *probe) {
	name := p.file("f", "content")
	p.ok("close", p.open(name, os.O_RDWR|os.O_CREATE).Close())
	p.holds(name, "content")
	p.ok("close", p.open(name, os.O_WRONLY|os.O_TRUNC).Close())
	p.holds(name, "")
	name = p.file("f", "content")
	f, err := p.Create(name)
	p.ok("create", err)
	p.ok("close", f.Close())
	p.holds(name, "")
}

func openDirectory(p *probe) {
	dir := p.mkdir("d")
	for _, flag := range []int{os.O_RDWR, os.O_WRONLY, os.O_RDWR | os.O_CREATE | os.O_TRUNC} {
		_, err := p.OpenFile(dir, flag, 0o644)
		p.fails("open for writing", err, syscall.EISDIR)
	}
	f := p.open(dir, os.O_RDONLY)
	_, err := f.Read(make([]byte, 1))
	p.fails("read", err, syscall.EISDIR)
	p.ok("sync", f.Sync())
	p.ok("close", f.Close())
	_, err = p.ReadFile(dir)
	p.fails("ReadFile", err, syscall.EISDIR)
	p.fails("WriteFile", p.WriteFile(dir, nil, 0o644), syscall.EISDIR)
	p.fails("Truncate", p.Truncate(dir, 0), syscall.EISDIR)
}

func handleAccess(p *probe) {
	name := p.file("f", "content")
	r := p.open(name, os.O_RDONLY)
	_, err := r.Write([]byte("x"))
	p.fails("write to a reader", err, syscall.EBADF)
	_, err = r.WriteAt([]byte("x"), 0)
	p.fails("WriteAt of a reader", err, syscall.EBADF)
	p.fails("Truncate of a reader", r.Truncate(0), syscall.EINVAL)
	p.ok("sync of a reader", r.Sync())
	p.ok("close", r.Close())
	w := p.open(name, os.O_WRONLY)
	_, err = w.Read(make([]byte, 1))
	p.fails("read from a writer", err, syscall.EBADF)
	_, err = w.ReadAt(make([]byte, 1), 0)
	p.fails("ReadAt of a writer", err, syscall.EBADF)
	p.ok("close", w.Close())
	p.holds(name, "content")
}

func handleClosed(p *probe) {
	f := p.open(p.file("f", "content"), os.O_RDWR)
	p.ok("close", f.Close())
	b := make([]byte, 1)
	for _, s := range []step{
		{"Read", func() (int, error) { _, err := f.Read(b); return 0, err }},
		{"ReadAt", func() (int, error) { _, err := f.ReadAt(b, 0); return 0, err }},
		{"ReadFrom", func() (int, error) { _, err := f.ReadFrom(strings.NewReader("x")); return 0, err }},
		{"Write", func() (int, error) { _, err := f.Write(b); return 0, err }},
		{"WriteAt", func() (int, error) { _, err := f.WriteAt(b, 0); return 0, err }},
		{"WriteString", func() (int, error) { _, err := f.WriteString("x"); return 0, err }},
		{"Seek", func() (int, error) { _, err := f.Seek(0, io.SeekStart); return 0, err }},
		{"Stat", func() (int, error) { _, err := f.Stat(); return 0, err }},
		{"ReadDir", func() (int, error) { _, err := f.ReadDir(0); return 0, err }},
		{"Truncate", func() (int, error) { return 0, f.Truncate(0) }},
		{"Sync", func() (int, error) { return 0, f.Sync() }},
		{"Close", func() (int, error) { return 0, f.Close() }},
	} {
		_, err := s.use()
		p.fails(s.name, err, fs.ErrClosed)
	}
}

func handleShared(p *probe) {
	name := p.file("f", "")
	w, r := p.open(name, os.O_WRONLY), p.open(name, os.O_RDONLY)
	b := make([]byte, 8)
	for _, text := range []string{"one", "two"} {
		_, err := w.WriteString(text)
		p.ok("write", err)
		n, err := r.Read(b)
		p.ok("read", err)
		p.same("read", string(b[:n]), text)
	}
	p.ok("truncate", w.Truncate(2))
	_, err := r.Read(b)
	p.fails("read behind the new end", err, io.EOF)
	p.ok("close", errors.Join(w.Close(), r.Close()))
}

func handleUnlinked(p *probe) {
	f := p.open(p.file("f", "before"), os.O_RDWR)
	p.ok("remove", p.Remove(p.in("f")))
	p.lists(p.dir)
	p.usable(f, "before")
}

func handleReplaced(p *probe) {
	f := p.open(p.file("f", "before"), os.O_RDWR)
	p.ok("rename", p.Rename(p.file("g", "other"), p.in("f")))
	p.usable(f, "before")
	p.holds(p.in("f"), "other")
}

func handleRenamed(p *probe) {
	f := p.open(p.file("f", "before"), os.O_RDWR)
	p.ok("rename", p.Rename(p.in("f"), p.in("g")))
	p.usable(f, "before")
	p.holds(p.in("g"), "before, after")
	p.file("f", "new")
	p.holds(p.in("g"), "before, after")
}

// usable states that a handle has a content and takes more; it closes it.
func (p *probe) usable(f File, content string) {
	data, err := io.ReadAll(f)
	p.ok("read", err)
	p.same("content", string(data), content)
	_, err = f.WriteString(", after")
	p.ok("write", err)
	p.ok("sync", f.Sync())
	info, err := f.Stat()
	p.ok("stat", err)
	p.same("size", info.Size(), int64(len(content)+len(", after")))
	p.ok("close", f.Close())
}

func appendToEnd(p *probe) {
	name := p.file("f", "one")
	f := p.open(name, os.O_RDWR|os.O_APPEND)
	_, err := f.WriteString(" two")
	p.ok("append", err)
	_, err = f.Seek(0, io.SeekStart)
	p.ok("seek", err)
	_, err = f.WriteString(" three")
	p.ok("append after a seek", err)
	at, err := f.Seek(0, io.SeekCurrent)
	p.ok("seek", err)
	p.same("offset", at, int64(len("one two three")))
	p.ok("close", f.Close())
	p.holds(name, "one two three")
}

func appendConcurrently(p *probe) {
	const writers, writes = 4, 25
	name := p.file("f", "")
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() { errs[i] = appendLines(p.FS, name, writes) })
	}
	wg.Wait()
	p.ok("append", errors.Join(errs...))
	p.holds(name, strings.Repeat("line\n", writers*writes))
}

func appendLines(fsys FS, name string, n int) error {
	f, err := fsys.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	for range n {
		if _, err := f.WriteString("line\n"); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

func appendWriteAt(p *probe) {
	name := p.file("f", "content")
	f := p.open(name, os.O_RDWR|os.O_APPEND)
	_, err := f.WriteAt([]byte("x"), 0)
	p.fails("WriteAt", err, syscall.EINVAL)
	p.ok("close", f.Close())
	p.holds(name, "content")
}

func statFile(p *probe) {
	name := p.file("f", "content")
	f := p.open(name, os.O_RDONLY)
	byHandle, err := f.Stat()
	p.ok("File.Stat", err)
	p.ok("close", f.Close())
	byName, err := p.Stat(name)
	p.ok("Stat", err)
	byLink, err := p.Lstat(name)
	p.ok("Lstat", err)
	for _, info := range []fs.FileInfo{byHandle, byName, byLink} {
		p.same("name", info.Name(), "f")
		p.same("size", info.Size(), int64(7))
		p.same("kind", info.Mode().Type(), fs.FileMode(0))
		p.same("time", info.ModTime().Equal(byName.ModTime()), true)
	}
	info, err := p.Stat(p.mkdir("d"))
	p.ok("Stat", err)
	p.same("kind", info.Mode().Type(), fs.ModeDir)
	p.same("IsDir", info.IsDir(), true)
	p.file("f", "more content")
	later, err := p.Stat(name)
	p.ok("Stat", err)
	p.same("time goes back", later.ModTime().Before(byName.ModTime()), false)
}
