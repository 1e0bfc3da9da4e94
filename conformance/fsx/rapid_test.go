// SPDX-License-Identifier: MPL-2.0

// Package fsx_test compares the simulated disk with the real one, with rapid, which finds a short sequence of operations
// wherever they disagree.
package fsx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/shims/fsx"
)

func TestSimulatedDiskAgreesWithTheRealOne(t *testing.T) {
	real, err := fsx.OS(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	opts := faultline.Options{Mode: faultline.ModeGoroutine, Seeds: 1, Duration: 24 * time.Hour}
	faultline.Run(t, opts, func(w *faultline.World) {
		done := false
		w.AddProcess("node", func(ctx context.Context, p *faultline.Process) error {
			compared := 0
			rapid.Check(t, func(rt *rapid.T) {
				pair := newPair(rt, p.FS, real)
				pair.play(rt)
				compared += pair.compared
			})
			t.Logf("%d operations gave the same on both disks", compared)
			return p.Do(func() { done = true })
		})
		w.Final("all sequences were played", func() error {
			if !done {
				return errors.New("the process stopped before its end")
			}
			return nil
		})
	})
}

// pair is the two disks and the files that are open on both.
type pair struct {
	disks    [2]fsx.FS
	files    [][2]fsx.File
	compared int // operations
}

// top is the directory that a sequence works in.
const top = "top"

// newPair empties the directory on both disks.
func newPair(rt *rapid.T, disks ...fsx.FS) *pair {
	p := &pair{disks: [2]fsx.FS(disks)}
	for _, disk := range disks {
		if err := errors.Join(disk.RemoveAll(top), disk.Mkdir(top, 0o755)); err != nil {
			rt.Fatal(err)
		}
	}
	return p
}

// play draws operations and does each on both disks.
func (p *pair) play(rt *rapid.T) {
	rt.Repeat(map[string]func(*rapid.T){
		"open":     p.open,
		"mkdir":    p.onName(func(disk fsx.FS, name string) (any, error) { return nil, disk.Mkdir(name, 0o755) }),
		"remove":   p.onName(func(disk fsx.FS, name string) (any, error) { return nil, disk.Remove(name) }),
		"readfile": p.onName(func(disk fsx.FS, name string) (any, error) { return disk.ReadFile(name) }),
		"readdir":  p.onName(list),
		"syncdir":  p.onName(func(disk fsx.FS, name string) (any, error) { return nil, disk.SyncDir(name) }),
		"stat":     p.onName(stat),
		"rename":   p.rename,
		"write":    p.onFile(write),
		"read":     p.onFile(read),
		"seek":     p.onFile(seek),
		"truncate": p.onFile(truncate),
		"close":    p.onFile(func(*rapid.T) step { return func(f fsx.File) (any, error) { return nil, f.Close() } }),
	})
	for _, f := range p.files {
		f[0].Close()
		f[1].Close()
	}
}

var names = rapid.SampledFrom([]string{top, top + "/a", top + "/b", top + "/d", top + "/d/a", top + "/d/e", top + "/a/x"})

// both does an operation on the simulated and on the real disk and requires the same result.
func (p *pair) both(rt *rapid.T, do func(i int) (any, error)) (errs [2]error) {
	p.compared++
	var said [2]string
	for i := range said {
		var result any
		result, errs[i] = do(i)
		said[i] = fmt.Sprintf("%v, %v", result, errs[i])
	}
	if said[0] != said[1] {
		rt.Fatalf("simulated: %s\nreal:      %s", said[0], said[1])
	}
	return errs
}

func (p *pair) onName(do func(fsx.FS, string) (any, error)) func(*rapid.T) {
	return func(rt *rapid.T) {
		name := names.Draw(rt, "name")
		p.both(rt, func(i int) (any, error) { return do(p.disks[i], name) })
	}
}

func list(disk fsx.FS, name string) (any, error) {
	entries, err := disk.ReadDir(name)
	return fmt.Sprint(entries), err
}

func stat(disk fsx.FS, name string) (any, error) {
	info, err := disk.Stat(name)
	if err != nil || info.IsDir() {
		return "directory", err // whose size is the disk's own affair
	}
	return fmt.Sprint(info.Name(), info.Mode(), info.Size()), nil
}

func (p *pair) rename(rt *rapid.T) {
	from, to := names.Draw(rt, "from"), names.Draw(rt, "to")
	p.both(rt, func(i int) (any, error) { return nil, p.disks[i].Rename(from, to) })
}

var flags = rapid.SampledFrom([]int{
	os.O_RDONLY, os.O_RDWR, os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_CREATE | os.O_TRUNC,
	os.O_RDWR | os.O_CREATE | os.O_EXCL, os.O_RDWR | os.O_CREATE | os.O_APPEND,
})

func (p *pair) open(rt *rapid.T) {
	name, flag := names.Draw(rt, "name"), flags.Draw(rt, "flag")
	var opened [2]fsx.File
	errs := p.both(rt, func(i int) (_ any, err error) {
		opened[i], err = p.disks[i].OpenFile(name, flag, 0o644)
		return nil, err
	})
	if errs[0] == nil {
		p.files = append(p.files, opened)
	}
}

// step is what is done to a file on each disk.
type step func(fsx.File) (any, error)

func (p *pair) onFile(prepare func(*rapid.T) step) func(*rapid.T) {
	return func(rt *rapid.T) {
		if len(p.files) == 0 {
			rt.Skip("no file is open")
		}
		f := p.files[rapid.IntRange(0, len(p.files)-1).Draw(rt, "file")]
		do := prepare(rt)
		if info, err := f[1].Stat(); err == nil && info.IsDir() {
			rt.Skip("reading and seeking in a directory is the disk's own affair")
		}
		p.both(rt, func(i int) (any, error) { return do(f[i]) })
	}
}

func write(rt *rapid.T) step {
	data := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(rt, "data")
	return func(f fsx.File) (any, error) { return f.Write(data) }
}

func read(rt *rapid.T) step {
	size := rapid.IntRange(0, 30).Draw(rt, "size")
	return func(f fsx.File) (any, error) {
		b := make([]byte, size)
		n, err := f.Read(b)
		return b[:n], err
	}
}

func seek(rt *rapid.T) step {
	offset, whence := rapid.Int64Range(-10, 40).Draw(rt, "offset"), rapid.IntRange(io.SeekStart, io.SeekEnd).Draw(rt, "whence")
	return func(f fsx.File) (any, error) { return f.Seek(offset, whence) }
}

func truncate(rt *rapid.T) step {
	size := rapid.Int64Range(-1, 40).Draw(rt, "size")
	return func(f fsx.File) (any, error) { return nil, f.Truncate(size) }
}
