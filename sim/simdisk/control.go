// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"fmt"
	"path"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// What tests and faults do to a volume from outside.

// FailSyncs makes the next n syncs of files and directories fail with ErrIO. With a
// negative n all fail, until FailSyncs(0).
func (v *Volume) FailSyncs(n int) { v.failSyncs = n }

func (v *Volume) syncFails() bool {
	if v.failSyncs > 0 {
		v.failSyncs--
		return true
	}
	return v.failSyncs < 0
}

// SetCapacity sets how many bytes the files may hold in all; 0 or less is no limit.
// Files that hold more already keep it, but nothing can grow.
func (v *Volume) SetCapacity(bytes int64) { v.capacity = bytes }

// Capacity returns what SetCapacity set last, or the Config.
func (v *Volume) Capacity() int64 { return v.capacity }

// Usage returns the bytes that files hold, removed ones included while a handle of
// them is open. Directories count nothing.
func (v *Volume) Usage() int64 { return v.used }

// Files returns the rooted paths of all files, sorted by path elements.
func (v *Volume) Files() []string { return files(nil, "/", v.root) }

func files(found []string, name string, ino *inode) []string {
	if !ino.isDir() {
		return append(found, name)
	}
	for _, elem := range sortedNames(ino.names) {
		found = files(found, path.Join(name, elem), ino.names[elem])
	}
	return found
}

// Corrupt flips bits, at least one in each byte, in the n bytes of a file from off
// on, as far as the file reaches: on the medium, and for readers.
func (v *Volume) Corrupt(name string, off, n int64) error {
	ino, err := v.existing(name)
	switch {
	case err != nil:
	case ino.isDir():
		err = ErrIsDir
	case off < 0 || n < 0:
		err = ErrInvalid
	default:
		n = min(n, max(0, ino.live.size()-off))
		v.corrupt(ino, off, n)
		ino.damage = ino.damage.with(span{off, off + n})
		v.sim.Emit(v.node, kindCorrupt, fmt.Sprintf("%s at %d: %d bytes", rooted(name), off, n),
			kernel.Attr{Key: "path", Value: rooted(name)},
			kernel.Attr{Key: "off", Value: fmt.Sprint(off)}, kernel.Attr{Key: "len", Value: fmt.Sprint(n)})
	}
	return pathError("corrupt", name, err)
}

// corrupt treats unsynced writes like the rest, so that the images stay what they
// are to each other.
func (v *Volume) corrupt(ino *inode, off, n int64) {
	for at := off; at < off+n; at++ {
		mask := byte(kernel.Uniform(v.rand, 1, 255))
		flip(ino.live.data, at, mask)
		flip(ino.durable.data, at, mask)
		for _, c := range ino.unsynced {
			flip(c.data, at-c.off, mask)
		}
	}
}

func flip(data []byte, at int64, mask byte) {
	if 0 <= at && at < int64(len(data)) {
		data[at] ^= mask
	}
}

// WriteFileDurable puts a file on the medium, entry and content, with the parent
// directories that it needs: the state that a test begins with.
func (v *Volume) WriteFileDurable(name string, data []byte) error {
	if err := v.MkdirAll(path.Dir(rooted(name)), 0o755); err != nil {
		return err
	}
	f, err := v.Create(name)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	f.ino.sync()
	v.emitResult(kindSync, f.path, "ok")
	for dir := path.Dir(f.path); ; dir = path.Dir(dir) {
		at, err := v.find(dir)
		if err != nil {
			return err
		}
		v.commit(at.ino)
		if at.isRoot() {
			return f.Close()
		}
	}
}

// ReadDurable returns the content of a file that is certain to survive a crash.
func (v *Volume) ReadDurable(name string) ([]byte, error) {
	at, err := v.findDurable(name)
	switch {
	case err != nil:
	case at.ino == nil:
		err = ErrNotExist
	case at.ino.isDir():
		err = ErrIsDir
	default:
		return append([]byte{}, at.ino.durable.data...), nil
	}
	return nil, pathError("read", name, err)
}

// Draw returns a value of the volume's random stream, for names of temporary files.
func (v *Volume) Draw() uint64 { return v.rand.Uint64() }
