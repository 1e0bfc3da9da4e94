// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// Volume is the disk of one node. Names are slash-separated and relative to the
// root, with or without a leading slash; ".." ends at the root. There are no links,
// and permissions are kept but not checked.
type Volume struct {
	sim     *kernel.Sim
	node    *kernel.Node
	rand    *rand.Rand
	config  Config
	latency map[Op]Latencies

	root    *inode
	journal []entryChange // those that are not durable, oldest first
	gen     int           // number of crashes, so that handles know what they outlived

	capacity  int64 // 0 or less is no limit
	used      int64
	failSyncs int // number of syncs that will fail; negative: all

	locks map[*inode]*fileLock // those that somebody holds

	strayWrites, strayReads int // numbers of writes and reads that will go astray; negative: all
}

func newVolume(d *Disk, n *kernel.Node) *Volume {
	v := &Volume{
		sim:      d.sim,
		node:     n,
		rand:     d.sim.Rand("disk/" + n.Name()),
		config:   d.config,
		latency:  d.latency,
		root:     newInode(fs.ModeDir | 0o755),
		capacity: d.config.Capacity,
		locks:    make(map[*inode]*fileLock),
	}
	v.root.linked = true
	return v
}

// Node returns the node that the volume belongs to.
func (v *Volume) Node() *kernel.Node { return v.node }

// Latency draws the time that an operation of that kind takes now.
func (v *Volume) Latency(op Op) time.Duration {
	l := v.latency[op]
	if l.Min == l.Max {
		return l.Min
	}
	return kernel.UniformDuration(v.rand, l.Min, l.Max)
}

// Open opens an existing file for reading and writing.
func (v *Volume) Open(name string) (*File, error) {
	return v.OpenFile(name, os.O_RDWR, 0)
}

// Create opens a file for reading and writing, made or emptied.
func (v *Volume) Create(name string) (*File, error) {
	return v.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
}

// OpenFile opens a file with the flags of package os: one of O_RDONLY, O_WRONLY and
// O_RDWR, with O_APPEND, O_CREATE, O_EXCL, O_SYNC and O_TRUNC. O_APPEND has no effect
// on a File, which has no offset. A directory can be opened with O_RDONLY.
func (v *Volume) OpenFile(name string, flag int, perm fs.FileMode) (*File, error) {
	f, err := v.openFile(name, flag, perm)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return f, nil
}

func (v *Volume) openFile(name string, flag int, perm fs.FileMode) (*File, error) {
	at, err := v.find(name)
	if err != nil {
		return nil, err
	}
	if at.ino == nil {
		if flag&os.O_CREATE == 0 {
			return nil, ErrNotExist
		}
		at.ino = newInode(perm.Perm() &^ umask)
		v.create(at, kindCreate)
	} else if err := v.checkOpen(at.ino, flag); err != nil {
		return nil, err
	}
	if flag&os.O_TRUNC != 0 {
		if err := v.truncate(at.ino, at.path, 0); err != nil {
			return nil, err
		}
	}
	at.ino.opens++
	return &File{vol: v, ino: at.ino, name: name, path: at.path, flag: flag, gen: v.gen}, nil
}

// checkOpen says whether the flags fit a file that exists.
func (v *Volume) checkOpen(ino *inode, flag int) error {
	switch {
	case flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
		return ErrExist
	case ino.isDir() && (accessMode(flag) != os.O_RDONLY || flag&(os.O_CREATE|os.O_TRUNC) != 0):
		return ErrIsDir
	}
	return nil
}

// umask is what creation takes from the permission bits, as a process usually has it.
const umask fs.FileMode = 0o022

func accessMode(flag int) int { return flag & (os.O_RDONLY | os.O_WRONLY | os.O_RDWR) }

// create enters a new inode into the live tree.
func (v *Volume) create(at place, kind kernel.Kind) {
	at.ino.live.mod, at.ino.durable.mod = v.sim.Now(), v.sim.Now()
	at.ino.linked = true
	v.changeEntries(lostEntry{at.path, "crash dropped the directory entry " + at.path}, at.edit(at.ino))
	v.emitPath(kind, at.path)
}

// Mkdir makes a directory. Its parent must exist.
func (v *Volume) Mkdir(name string, perm fs.FileMode) error {
	at, err := v.find(name)
	if err == nil && at.ino != nil {
		err = ErrExist
	}
	if err != nil {
		return pathError("mkdir", name, err)
	}
	at.ino = newInode(fs.ModeDir | perm.Perm()&^umask)
	v.create(at, kindMkdir)
	return nil
}

// MkdirAll makes a directory and the parents that it lacks.
func (v *Volume) MkdirAll(name string, perm fs.FileMode) error {
	elems, err := elements(name)
	if err != nil {
		return pathError("mkdir", name, err)
	}
	dir := "/"
	for _, elem := range elems {
		dir += elem
		at, err := v.find(dir)
		switch {
		case err != nil:
			return pathError("mkdir", name, err)
		case at.ino == nil:
			at.ino = newInode(fs.ModeDir | perm.Perm()&^umask)
			v.create(at, kindMkdir)
		case !at.ino.isDir():
			return pathError("mkdir", name, ErrNotDir)
		}
		dir += "/"
	}
	return nil
}

// Stat describes a file or directory. Times are virtual.
func (v *Volume) Stat(name string) (fs.FileInfo, error) {
	ino, err := v.existing(name)
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return ino.info(baseName(name)), nil
}

// existing returns what name stands for, which must exist.
func (v *Volume) existing(name string) (*inode, error) {
	at, err := v.find(name)
	if err == nil && at.ino == nil {
		err = ErrNotExist
	}
	return at.ino, err
}

// ReadDir lists a directory, sorted by name.
func (v *Volume) ReadDir(name string) ([]fs.DirEntry, error) {
	ino, err := v.existing(name)
	if err == nil && !ino.isDir() {
		err = ErrNotDir
	}
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	return ino.list(), nil
}

func (ino *inode) list() []fs.DirEntry {
	entries := make([]fs.DirEntry, 0, len(ino.names))
	for _, name := range sortedNames(ino.names) {
		entries = append(entries, fs.FileInfoToDirEntry(ino.names[name].info(name)))
	}
	return entries
}

// SyncDir makes the entries of a directory durable: what was created, renamed or
// removed in it. The content of its files is not synced.
func (v *Volume) SyncDir(name string) error {
	at, err := v.find(name)
	switch {
	case err != nil:
	case at.ino == nil:
		err = ErrNotExist
	case !at.ino.isDir():
		err = ErrNotDir
	default:
		err = v.syncDir(at.ino, at.path)
	}
	return pathError("syncdir", name, err)
}

func (v *Volume) syncDir(dir *inode, path string) error {
	if v.syncFails() {
		v.emitResult(kindSyncDir, path, "failed")
		return ErrIO
	}
	v.commit(dir)
	v.emitResult(kindSyncDir, path, "ok")
	return nil
}

// pathError returns err, if there is one, as a *fs.PathError.
func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
