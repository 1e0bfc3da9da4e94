// SPDX-License-Identifier: MPL-2.0

package fsx

import (
	"bytes"
	"io"
	"math"
	"os"
	"strings"
	"syscall"
)

// contentStatements are about reading and writing bytes.
var contentStatements = []statement{
	{"content: what is written is read", writeRead},
	{"content: reads at and behind the end", readEnd},
	{"content: a write behind the end leaves zeros", writeGap},
	{"content: WriteAt leaves the rest, and the offset, alone", writeAt},
	{"content: offsets that make no sense", badOffsets},
	{"content: empty reads and writes", emptyAccess},
	{"content: Seek from the start, the offset and the end", seekAll},
	{"content: Truncate shrinks, and grows with zeros", truncateBoth},
	{"content: ReadFrom takes all that a reader has", readFrom},
	{"content: megabytes", large},
	{"content: WriteFile replaces", writeFile},
}

func writeRead(p *probe) {
	f := p.open(p.in("f"), os.O_RDWR|os.O_CREATE)
	n, err := f.Write([]byte("one "))
	p.ok("write", err)
	p.same("written", n, 4)
	n, err = f.WriteString("two")
	p.ok("write", err)
	p.same("written", n, 3)
	_, err = f.Seek(0, io.SeekStart)
	p.ok("seek", err)
	data, err := io.ReadAll(f)
	p.ok("read", err)
	p.same("content", string(data), "one two")
	p.ok("sync", f.Sync())
	p.same("name", f.Name(), p.in("f"))
	p.ok("close", f.Close())
	p.holds(p.in("f"), "one two")
}

func readEnd(p *probe) {
	f := p.open(p.file("f", "abcdef"), os.O_RDONLY)
	b := make([]byte, 4)
	for _, want := range []string{"abcd", "ef"} {
		n, err := f.Read(b)
		p.ok("read", err)
		p.same("read", string(b[:n]), want)
	}
	n, err := f.Read(b)
	p.fails("read at the end", err, io.EOF)
	p.same("read at the end", n, 0)
	n, err = f.ReadAt(b, 2)
	p.ok("ReadAt up to the end", err)
	p.same("ReadAt up to the end", string(b[:n]), "cdef")
	n, err = f.ReadAt(b, 4)
	p.fails("ReadAt over the end", err, io.EOF)
	p.same("ReadAt over the end", string(b[:n]), "ef")
	n, err = f.ReadAt(b, 100)
	p.fails("ReadAt behind the end", err, io.EOF)
	p.same("ReadAt behind the end", n, 0)
	p.ok("close", f.Close())
}

func writeGap(p *probe) {
	f := p.open(p.file("f", "ab"), os.O_RDWR)
	_, err := f.Seek(4, io.SeekStart)
	p.ok("seek", err)
	_, err = f.WriteString("ef")
	p.ok("write", err)
	_, err = f.WriteAt([]byte("hi"), 7)
	p.ok("WriteAt", err)
	p.ok("close", f.Close())
	p.holds(p.in("f"), "ab\x00\x00ef\x00hi")
}

func writeAt(p *probe) {
	f := p.open(p.file("f", "abcdef"), os.O_RDWR)
	_, err := f.Seek(1, io.SeekStart)
	p.ok("seek", err)
	n, err := f.WriteAt([]byte("XY"), 3)
	p.ok("WriteAt", err)
	p.same("written", n, 2)
	b := make([]byte, 8)
	n, err = f.Read(b)
	p.ok("read", err)
	p.same("read at the old offset", string(b[:n]), "bcXYf")
	p.ok("close", f.Close())
}

func badOffsets(p *probe) {
	f := p.open(p.file("f", "abc"), os.O_RDWR)
	b := make([]byte, 1)
	_, err := f.ReadAt(b, -1)
	p.fails("ReadAt", err, syscall.EINVAL)
	_, err = f.WriteAt(b, -1)
	p.fails("WriteAt", err, syscall.EINVAL)
	_, err = f.Seek(-1, io.SeekStart)
	p.fails("Seek before the start", err, syscall.EINVAL)
	_, err = f.Seek(0, 99)
	p.fails("Seek from nowhere", err, syscall.EINVAL)
	p.fails("Truncate", f.Truncate(-1), syscall.EINVAL)
	_, err = f.WriteAt(b, math.MaxInt64-1)
	p.fails("WriteAt a huge offset", err, syscall.EFBIG)
	p.fails("Truncate to a huge size", f.Truncate(math.MaxInt64), syscall.EFBIG)
	p.ok("close", f.Close())
	p.holds(p.in("f"), "abc")
}

func emptyAccess(p *probe) {
	f := p.open(p.file("f", "abc"), os.O_RDWR)
	for _, s := range []step{
		{"Read", func() (int, error) { return f.Read(nil) }},
		{"ReadAt", func() (int, error) { return f.ReadAt(nil, 1) }},
		{"Write", func() (int, error) { return f.Write(nil) }},
		{"WriteAt", func() (int, error) { return f.WriteAt(nil, 10) }},
	} {
		n, err := s.use()
		p.ok(s.name, err)
		p.same(s.name, n, 0)
	}
	p.ok("close", f.Close())
	p.holds(p.in("f"), "abc")
}

func seekAll(p *probe) {
	f := p.open(p.file("f", "abcdef"), os.O_RDONLY)
	b := make([]byte, 1)
	for _, s := range []struct {
		offset int64
		whence int
		at     int64
		reads  string
	}{
		{2, io.SeekStart, 2, "c"},
		{1, io.SeekCurrent, 4, "e"},
		{-5, io.SeekEnd, 1, "b"},
		{-2, io.SeekCurrent, 0, "a"},
	} {
		at, err := f.Seek(s.offset, s.whence)
		p.ok("seek", err)
		p.same("offset", at, s.at)
		_, err = f.Read(b)
		p.ok("read", err)
		p.same("read", string(b), s.reads)
	}
	at, err := f.Seek(100, io.SeekEnd)
	p.ok("seek behind the end", err)
	p.same("offset", at, int64(106))
	_, err = f.Read(b)
	p.fails("read behind the end", err, io.EOF)
	p.ok("close", f.Close())
}

func truncateBoth(p *probe) {
	name := p.file("f", "abcdef")
	f := p.open(name, os.O_RDWR)
	p.ok("shrink", f.Truncate(3))
	p.holds(name, "abc")
	p.ok("grow", f.Truncate(5))
	p.holds(name, "abc\x00\x00")
	p.ok("close", f.Close())
	p.ok("Truncate by name", p.Truncate(name, 1))
	p.holds(name, "a")
	p.fails("Truncate a missing file", p.Truncate(p.in("none"), 1), syscall.ENOENT)
	p.fails("Truncate to a negative size", p.Truncate(name, -1), syscall.EINVAL)
}

func readFrom(p *probe) {
	name := p.file("f", "abc")
	f := p.open(name, os.O_RDWR)
	_, err := f.Seek(1, io.SeekStart)
	p.ok("seek", err)
	n, err := f.ReadFrom(strings.NewReader("XYZ"))
	p.ok("ReadFrom", err)
	p.same("ReadFrom", n, int64(3))
	p.ok("close", f.Close())
	p.holds(name, "aXYZ")
}

func large(p *probe) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MiB
	f := p.open(p.in("f"), os.O_RDWR|os.O_CREATE)
	for range 3 {
		n, err := f.Write(data)
		p.ok("write", err)
		p.same("written", n, len(data))
	}
	p.ok("close", f.Close())
	got, err := p.ReadFile(p.in("f"))
	p.ok("ReadFile", err)
	p.same("content is what was written", bytes.Equal(got, bytes.Repeat(data, 3)), true)
}

func writeFile(p *probe) {
	name := p.file("f", "long content")
	p.ok("WriteFile", p.WriteFile(name, []byte("short"), 0o600))
	p.holds(name, "short")
	p.fails("without a parent", p.WriteFile(p.in("none/f"), nil, 0o600), syscall.ENOENT)
}
