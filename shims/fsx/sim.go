// SPDX-License-Identifier: MPL-2.0

package fsx

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"syscall"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// Sim returns v as the process p sees it. Each call is one call to the simulator: it
// takes the latency that the volume draws for its kind, in virtual time, and has its
// effect when that has passed. When the incarnation has ended, every call fails with
// syscall.ESTALE, those that were waiting included, and these have no effect.
func Sim(p *driver.Proc, v *simdisk.Volume) FS {
	return &simFS{proc: p, vol: v}
}

type simFS struct {
	proc *driver.Proc
	vol  *simdisk.Volume

	// For the simulator's goroutine only.
	handles map[uint64]*simdisk.File // open ones, by the order in which they were opened
	opened  uint64
}

// track notes an open file, so that it is closed when the incarnation ends and its node
// goes on. What a crash does to open files is the business of the volume.
func (s *simFS) track(f *simdisk.File) (handle uint64) {
	if s.handles == nil {
		s.handles = make(map[uint64]*simdisk.File)
		s.proc.AtEnd(s.closeAll)
	}
	s.opened++
	s.handles[s.opened] = f
	return s.opened
}

func (s *simFS) closeAll() {
	if s.proc.Node().State() == kernel.Down {
		return
	}
	for _, handle := range slices.Sorted(maps.Keys(s.handles)) {
		_ = s.handles[handle].Close()
	}
}

// cost says what an operation takes: a latency of its kind, or, as free, none.
type cost = simdisk.Op

const free cost = ""

// do runs fn on the simulator's goroutine after the latency of kind, and returns its
// error. If that error is fn's, what fn has set is set.
func (s *simFS) do(op, name string, kind cost, fn func() error) error {
	return s.call(op, name, func(c *driver.Call) { s.start(c, kind, fn) })
}

// call is do for a function that finishes the call itself.
func (s *simFS) call(op, name string, fn func(*driver.Call)) error {
	err := s.proc.Call("fs "+name+" "+op, fn)
	if errors.Is(err, driver.ErrGone) {
		return &fs.PathError{Op: op, Path: name, Err: syscall.ESTALE}
	}
	return err
}

// start runs fn when the latency has passed: as soon as the process is up again if
// it is paused then, and never if its incarnation ends before.
func (s *simFS) start(c *driver.Call, kind cost, fn func() error) {
	if kind == free || c.Inline() {
		c.Finish(fn())
		return
	}
	latency := s.vol.Latency(kind)
	if latency == 0 {
		c.Finish(fn())
		return
	}
	sim := s.vol.Node().Sim()
	timer := sim.After(latency, func() {
		s.whenUp(func() {
			if c.Pending() {
				c.Finish(fn())
			}
		})
	})
	c.OnAbort(func() { sim.Cancel(timer) })
}

// whenUp runs fn now, or when the process is resumed. Outside any process, nothing
// pauses.
func (s *simFS) whenUp(fn func()) {
	if node := s.proc.Node(); node != nil {
		node.Do(s.proc.Inc(), fn)
	} else {
		fn()
	}
}

func (s *simFS) Open(name string) (File, error) {
	return s.OpenFile(name, os.O_RDONLY, 0)
}

func (s *simFS) Create(name string) (File, error) {
	return s.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

func (s *simFS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f := &simFile{fs: s, name: name, append: flag&os.O_APPEND != 0, write: simdisk.OpWrite, sync: simdisk.OpSync}
	if flag&os.O_SYNC != 0 {
		f.write = simdisk.OpSync
	}
	err := s.do("open", name, simdisk.OpMeta, func() (err error) {
		if f.f, err = s.vol.OpenFile(name, flag, perm); err != nil {
			return err
		}
		f.handle = s.track(f.f)
		if f.f.IsDir() {
			f.sync = simdisk.OpSyncDir
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (s *simFS) Mkdir(name string, perm fs.FileMode) error {
	return s.do("mkdir", name, simdisk.OpMeta, func() error { return s.vol.Mkdir(name, perm) })
}

func (s *simFS) MkdirAll(name string, perm fs.FileMode) error {
	return s.do("mkdir", name, simdisk.OpMeta, func() error { return s.vol.MkdirAll(name, perm) })
}

func (s *simFS) MkdirTemp(dir, pattern string) (name string, err error) {
	err = s.do("mkdirtemp", dir, simdisk.OpMeta, func() (err error) {
		name, err = mkdirTemp(dir, pattern, s.vol.Draw, func(name string) error { return s.vol.Mkdir(name, 0o700) })
		return err
	})
	return name, err
}

func (s *simFS) ReadFile(name string) (data []byte, err error) {
	err = s.do("open", name, simdisk.OpRead, func() (err error) {
		data, err = s.vol.ReadFile(name)
		return err
	})
	return data, err
}

func (s *simFS) WriteFile(name string, data []byte, perm fs.FileMode) error {
	return s.do("open", name, simdisk.OpWrite, func() error { return s.vol.WriteFile(name, data, perm) })
}

func (s *simFS) ReadDir(name string) (entries []fs.DirEntry, err error) {
	err = s.do("readdir", name, simdisk.OpMeta, func() (err error) {
		entries, err = s.vol.ReadDir(name)
		return err
	})
	return entries, err
}

func (s *simFS) Stat(name string) (fs.FileInfo, error) { return s.stat("stat", name) }

// Lstat is Stat: a volume has no links.
func (s *simFS) Lstat(name string) (fs.FileInfo, error) { return s.stat("lstat", name) }

func (s *simFS) stat(op, name string) (info fs.FileInfo, err error) {
	err = s.do(op, name, simdisk.OpMeta, func() (err error) {
		info, err = s.vol.Stat(name)
		return wrap(op, name, err)
	})
	return info, err
}

func (s *simFS) Rename(oldname, newname string) error {
	err := s.do("rename", oldname, simdisk.OpMeta, func() error { return s.vol.Rename(oldname, newname) })
	if pe, ok := err.(*fs.PathError); ok {
		return &os.LinkError{Op: "rename", Old: oldname, New: newname, Err: pe.Err}
	}
	return err
}

func (s *simFS) Remove(name string) error {
	return s.do("remove", name, simdisk.OpMeta, func() error { return s.vol.Remove(name) })
}

func (s *simFS) RemoveAll(name string) error {
	return s.do("removeall", name, simdisk.OpMeta, func() error { return s.vol.RemoveAll(name) })
}

func (s *simFS) Truncate(name string, size int64) error {
	return s.do("truncate", name, simdisk.OpWrite, func() error { return s.vol.Truncate(name, size) })
}

func (s *simFS) SyncDir(name string) error {
	return s.do("syncdir", name, simdisk.OpSyncDir, func() error { return s.vol.SyncDir(name) })
}
