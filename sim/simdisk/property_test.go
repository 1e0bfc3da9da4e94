// SPDX-License-Identifier: MPL-2.0

package simdisk_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"testing"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// rig runs random operations on a volume and on its oracle.
type rig struct {
	r   *rand.Rand
	n   *kernel.Node
	v   *simdisk.Volume
	o   *oracle
	log []string
}

func newRig(seed uint64, c simdisk.Config) *rig {
	sim := kernel.New(kernel.Config{Seed: seed})
	n := sim.AddNode("n", nil)
	v := simdisk.New(sim, c).Volume(n)
	sim.Start()
	sim.Run()
	return &rig{r: rand.New(rand.NewPCG(seed, 7)), n: n, v: v, o: newOracle(c)}
}

var rigNames = []string{"/a", "/b", "/d", "/e", "/d/a", "/d/b", "/d/e", "/e/a", "/e/d"}

func (g *rig) name() string { return rigNames[g.r.IntN(len(rigNames))] }

func (g *rig) did(format string, args ...any) {
	g.log = append(g.log, fmt.Sprintf(format, args...))
}

// rigSteps are the operations, as often as they should be tried. Each skips names
// that it does not fit.
var rigSteps = []func(*rig){
	(*rig).create, (*rig).create, (*rig).mkdir, (*rig).mkdir, (*rig).write, (*rig).write, (*rig).write, (*rig).write,
	(*rig).truncate, (*rig).sync, (*rig).syncDir, (*rig).rename, (*rig).rename, (*rig).remove, (*rig).failSync,
	(*rig).append, (*rig).writeFile, (*rig).removeAll, (*rig).openTruncated,
}

// parentOK reports whether the parent of a name is a directory.
func (g *rig) parentOK(name string) bool {
	parent := g.o.at(path.Dir(name))
	return parent != nil && parent.kids != nil
}

func (g *rig) isFile(name string) bool {
	n := g.o.at(name)
	return n != nil && n.kids == nil
}

func (g *rig) create() {
	name := g.name()
	if g.o.at(name) == nil && g.parentOK(name) {
		g.did("create %s", name)
		g.o.create(name)
		must(g.v.Create(name))
	}
}

func (g *rig) mkdir() {
	name := g.name()
	if g.o.at(name) == nil && g.parentOK(name) {
		g.did("mkdir %s", name)
		g.o.mkdir(name)
		check(g.v.Mkdir(name, 0o755))
	}
}

func (g *rig) write() {
	name := g.name()
	if !g.isFile(name) || len(g.o.at(name).doubts) > 5 {
		return
	}
	data := bytes.Repeat([]byte{byte('a' + g.r.IntN(26))}, 1+g.r.IntN(10))
	off := g.r.IntN(len(g.o.at(name).live) + 3)
	g.did("write %s at %d: %s", name, off, data)
	g.o.change(name, doubt{off, data})
	f := must(g.v.Open(name))
	must(f.WriteAt(data, int64(off)))
	check(f.Close())
}

func (g *rig) append() {
	name := g.name()
	if !g.isFile(name) || len(g.o.at(name).doubts) > 5 {
		return
	}
	data := []byte{byte('A' + g.r.IntN(26))}
	g.did("append to %s: %s", name, data)
	g.o.change(name, doubt{len(g.o.at(name).live), data})
	f := must(g.v.Open(name))
	must(f.Append(data))
	check(f.Close())
}

// writeFile makes a file or replaces its content, which is two changes.
func (g *rig) writeFile() {
	name := g.name()
	if !g.prepareToReplace(name) {
		return
	}
	data := bytes.Repeat([]byte{byte('0' + g.r.IntN(10))}, 1+g.r.IntN(10))
	g.did("write file %s: %s", name, data)
	g.o.change(name, doubt{0, data})
	check(g.v.WriteFile(name, data, 0o644))
}

func (g *rig) openTruncated() {
	name := g.name()
	if g.prepareToReplace(name) {
		g.did("open %s to be replaced", name)
		check(must(g.v.Create(name)).Close())
	}
}

// prepareToReplace tells the oracle that a file is made or emptied.
func (g *rig) prepareToReplace(name string) bool {
	switch n := g.o.at(name); {
	case n == nil && g.parentOK(name):
		g.o.create(name)
	case !g.isFile(name) || len(n.doubts) > 4:
		return false
	case len(n.live) > 0:
		g.o.change(name, doubt{})
	}
	return true
}

func (g *rig) removeAll() {
	name := g.name()
	if g.o.at(name) == nil || g.r.IntN(3) > 0 { // or little would grow
		return
	}
	g.did("remove all of %s", name)
	g.forgetAll(name)
	check(g.v.RemoveAll(name))
}

func (g *rig) forgetAll(name string) {
	for _, kid := range slices.Sorted(maps.Keys(g.o.at(name).kids)) {
		g.forgetAll(path.Join(name, kid))
	}
	g.o.remove(name)
}

func (g *rig) truncate() {
	name := g.name()
	if !g.isFile(name) || len(g.o.at(name).doubts) > 5 {
		return
	}
	size := g.r.IntN(20)
	if size != len(g.o.at(name).live) {
		g.did("truncate %s to %d", name, size)
		g.o.change(name, doubt{off: size})
		check(g.v.Truncate(name, int64(size)))
	}
}

func (g *rig) sync() { g.syncTo(nil) }

func (g *rig) failSync() {
	g.v.FailSyncs(1)
	g.syncTo(simdisk.ErrIO)
	g.v.FailSyncs(0)
}

func (g *rig) syncTo(want error) {
	name := g.name()
	if !g.isFile(name) {
		return
	}
	g.did("sync %s: %v", name, want)
	g.o.sync(name, want == nil)
	f := must(g.v.Open(name))
	if err := f.Sync(); !errors.Is(err, want) {
		panic(err)
	}
	check(f.Close())
}

func (g *rig) syncDir() {
	name := path.Dir(g.name())
	if n := g.o.at(name); n != nil && n.kids != nil {
		g.did("syncdir %s", name)
		g.o.syncDir(name)
		check(g.v.SyncDir(name))
	}
}

func (g *rig) rename() {
	from, to := g.name(), g.name()
	source, target := g.o.at(from), g.o.at(to)
	if source == nil || source == target || !g.parentOK(to) || len(to) > len(from) && to[:len(from)] == from {
		return
	}
	if target != nil && (target.kids != nil || source.kids != nil) {
		return
	}
	g.did("rename %s to %s", from, to)
	g.o.rename(from, to)
	check(g.v.Rename(from, to))
}

func (g *rig) remove() {
	name := g.name()
	if n := g.o.at(name); n != nil && len(n.kids) == 0 {
		g.did("remove %s", name)
		g.o.remove(name)
		check(g.v.Remove(name))
	}
}

// sameView compares what readers see with the oracle.
func (g *rig) sameView() error {
	for name, got := range observe(g.v, "/") {
		n := g.o.at(name)
		want := "/"
		if n != nil && n.kids == nil {
			want = "f" + string(n.live)
		}
		if n == nil || got != want {
			return fmt.Errorf("%s reads as %q, want %q", name, got, want)
		}
	}
	return nil
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// TestCrashStates compares every state that a crash leaves with what the models
// allow. That what was promised survives is part of it.
func TestCrashStates(t *testing.T) {
	for _, c := range []simdisk.Config{
		{Crash: simdisk.CrashAny},
		{Crash: simdisk.CrashLoseUnsynced},
		{Crash: simdisk.CrashKeepPrefix},
		{Crash: simdisk.CrashKeepSubset},
		{Crash: simdisk.CrashTorn},
		{Crash: simdisk.CrashAny, Metadata: simdisk.MetadataImmediate},
		{Crash: simdisk.CrashAny, FailedSync: simdisk.FailedSyncRetain},
	} {
		c.Sector = 4
		t.Run(fmt.Sprint(c.Crash, c.Metadata, c.FailedSync), func(t *testing.T) {
			for seed := range uint64(150) {
				crashStates(t, seed, c)
			}
		})
	}
}

func crashStates(t *testing.T, seed uint64, c simdisk.Config) {
	g := newRig(seed, c)
	for range 4 {
		g.log = nil
		for len(g.o.moves) < 11 && len(g.log) < 30 {
			rigSteps[g.r.IntN(len(rigSteps))](g)
		}
		if err := g.sameView(); err != nil {
			t.Fatalf("seed %d: %v after %q", seed, err, g.log)
		}
		g.n.Crash()
		if err := g.o.crashed(g.v); err != nil {
			t.Fatalf("seed %d: %v after %q", seed, err, g.log)
		}
		g.n.Restart()
	}
}
