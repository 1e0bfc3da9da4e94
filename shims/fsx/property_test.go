// SPDX-License-Identifier: MPL-2.0

package fsx_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hmdsefi/faultline/shims/fsx"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// player runs operations drawn from a seed on a file system, and writes down what
// each did and gave. Equal file systems give equal scripts.
type player struct {
	r      *rand.Rand
	fsys   fsx.FS
	files  []fsx.File
	script []string
}

func play(fsys fsx.FS, seed uint64, steps int) []string {
	p := &player{r: rand.New(rand.NewPCG(seed, 1)), fsys: fsys}
	for range steps {
		p.step()
	}
	p.dump("/")
	for _, f := range p.files {
		f.Close()
	}
	return p.script
}

func (p *player) step() {
	if len(p.files) > 0 && p.r.IntN(2) == 0 {
		fileSteps[p.r.IntN(len(fileSteps))](p, p.files[p.r.IntN(len(p.files))])
	} else {
		pathSteps[p.r.IntN(len(pathSteps))](p)
	}
}

var names = []string{"a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "e", "e/a", "a/b", "/d/../b", "..", ".", "/", ""}

func (p *player) name() string { return names[p.r.IntN(len(names))] }

func (p *player) bytes() []byte {
	return []byte(strings.Repeat(string(rune('a'+p.r.IntN(26))), p.r.IntN(12)))
}

// did writes down an operation and its result.
func (p *player) did(err error, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if err != nil {
		line += ": " + err.Error()
	}
	p.script = append(p.script, line)
}

var flags = []int{
	os.O_RDONLY, os.O_RDWR, os.O_WRONLY,
	os.O_RDWR | os.O_CREATE, os.O_RDWR | os.O_CREATE | os.O_TRUNC, os.O_WRONLY | os.O_CREATE | os.O_EXCL,
	os.O_RDWR | os.O_CREATE | os.O_APPEND, os.O_WRONLY | os.O_TRUNC, os.O_WRONLY | os.O_APPEND, os.O_RDONLY | os.O_CREATE,
}

var pathSteps = []func(*player){
	(*player).open, (*player).open, (*player).open,
	func(p *player) { name := p.name(); p.did(p.fsys.Mkdir(name, 0o755), "mkdir %s", name) },
	func(p *player) { name := p.name(); p.did(p.fsys.MkdirAll(name, 0o755), "mkdirall %s", name) },
	func(p *player) { name := p.name(); p.did(p.fsys.Remove(name), "remove %s", name) },
	func(p *player) { name := p.name(); p.did(p.fsys.RemoveAll(name), "removeall %s", name) },
	func(p *player) { name := p.name(); p.did(p.fsys.SyncDir(name), "syncdir %s", name) },
	func(p *player) {
		from, to := p.name(), p.name()
		p.did(p.fsys.Rename(from, to), "rename %s %s", from, to)
	},
	func(p *player) {
		from, to := p.name(), p.name()
		p.did(p.fsys.Rename(from, to), "rename %s %s", from, to)
	},
	func(p *player) {
		name, size := p.name(), int64(p.r.IntN(30)-1)
		p.did(p.fsys.Truncate(name, size), "truncate %s %d", name, size)
	},
	func(p *player) {
		name, data := p.name(), p.bytes()
		p.did(p.fsys.WriteFile(name, data, 0o640), "writefile %s %s", name, data)
	},
	func(p *player) {
		name := p.name()
		data, err := p.fsys.ReadFile(name)
		p.did(err, "readfile %s %q", name, data)
	},
	func(p *player) {
		name := p.name()
		entries, err := p.fsys.ReadDir(name)
		p.did(err, "readdir %s %v", name, entries)
	},
	func(p *player) {
		name := p.name()
		info, err := p.fsys.Stat(name)
		p.did(err, "stat %s %s", name, describe(info))
	},
	func(p *player) {
		name := p.name()
		info, err := p.fsys.Lstat(name)
		p.did(err, "lstat %s %s", name, describe(info))
	},
}

func (p *player) open() {
	name, flag := p.name(), flags[p.r.IntN(len(flags))]
	f, err := p.fsys.OpenFile(name, flag, 0o600)
	p.did(err, "open %s %#x", name, flag)
	if err == nil {
		p.files = append(p.files, f)
	}
}

// describe leaves out what real disks give in their own ways: times, and the size
// of directories.
func describe(info fs.FileInfo) string {
	switch {
	case info == nil:
		return ""
	case info.IsDir():
		return info.Name() + " directory"
	}
	return fmt.Sprintf("%s %v %d", info.Name(), info.Mode(), info.Size())
}

var fileSteps = []func(*player, fsx.File){
	func(p *player, f fsx.File) {
		b := make([]byte, p.r.IntN(12))
		n, err := f.Read(b)
		if isDir(f) {
			p.did(nil, "%s.Read of a directory fails: %v", f.Name(), err != nil) // the reason varies with its offset
			return
		}
		p.did(err, "%s.Read %q", f.Name(), b[:n])
	},
	func(p *player, f fsx.File) {
		b, off := make([]byte, p.r.IntN(12)), int64(p.r.IntN(30)-1)
		n, err := f.ReadAt(b, off)
		p.did(err, "%s.ReadAt %d %q", f.Name(), off, b[:n])
	},
	func(p *player, f fsx.File) {
		b := p.bytes()
		n, err := f.Write(b)
		p.did(err, "%s.Write %s %d", f.Name(), b, n)
	},
	func(p *player, f fsx.File) {
		b, off := p.bytes(), int64(p.r.IntN(30)-1)
		n, err := f.WriteAt(b, off)
		p.did(err, "%s.WriteAt %s %d %d", f.Name(), b, off, n)
	},
	func(p *player, f fsx.File) {
		b := p.bytes()
		n, err := f.ReadFrom(strings.NewReader(string(b)))
		p.did(err, "%s.ReadFrom %s %d", f.Name(), b, n)
	},
	func(p *player, f fsx.File) {
		if isDir(f) {
			return // the offsets of a directory are the file system's own
		}
		off, whence := int64(p.r.IntN(40)-10), p.r.IntN(4)
		at, err := f.Seek(off, whence)
		p.did(err, "%s.Seek %d %d %d", f.Name(), off, whence, at)
	},
	func(p *player, f fsx.File) {
		size := int64(p.r.IntN(30) - 1)
		p.did(f.Truncate(size), "%s.Truncate %d", f.Name(), size)
	},
	func(p *player, f fsx.File) { p.did(f.Sync(), "%s.Sync", f.Name()) },
	func(p *player, f fsx.File) { p.did(f.Close(), "%s.Close", f.Name()) },
	func(p *player, f fsx.File) {
		info, err := f.Stat()
		p.did(err, "%s.Stat %s", f.Name(), describe(info))
	},
	func(p *player, f fsx.File) {
		entries, err := f.ReadDir(0)
		p.did(err, "%s.ReadDir %d", f.Name(), len(entries))
	},
}

func isDir(f fsx.File) bool {
	info, err := f.Stat()
	return err == nil && info.IsDir()
}

// dump writes down the whole tree.
func (p *player) dump(dir string) {
	entries, err := p.fsys.ReadDir(dir)
	p.did(err, "%s holds %v", dir, entries)
	for _, e := range entries {
		name := dir + "/" + e.Name()
		if e.IsDir() {
			p.dump(name)
			continue
		}
		data, err := p.fsys.ReadFile(name)
		p.did(err, "%s holds %q", name, data)
	}
}

// TestSameAsOS: random operations give the same results, errors included, on the
// simulated and on the real disk.
func TestSameAsOS(t *testing.T) {
	const seeds, steps = 100, 150
	for seed := range uint64(seeds) {
		want := play(newOS(t), seed, steps)
		var got []string
		synctest.Test(t, func(t *testing.T) {
			simulate(simdisk.Config{}, func(w *world, fsys fsx.FS) {
				got = play(fsys, seed, steps)
				w.done = true
			})
		})
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("seed %d, step %d:\n sim: %s\n os:  %s\nbefore: %q", seed, i, got[i], want[i], want[max(0, i-10):i])
			}
		}
	}
}
