// SPDX-License-Identifier: MPL-2.0

package fsx_test

import (
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/fsx"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// world is one node with a volume, whose processes run as goroutines of a bubble.
type world struct {
	sim    *kernel.Sim
	driver *driver.Driver
	node   *kernel.Node
	vol    *simdisk.Volume
	done   bool // set by the process to end the run
}

// control runs fn on the simulator's goroutine.
func (w *world) control(fn func()) {
	w.driver.Outside().Call("control", func(c *driver.Call) { fn(); c.Finish(nil) })
}

// simulate runs process, as each incarnation of a node, until it sets w.done. It
// must be called in a bubble.
func simulate(c simdisk.Config, process func(w *world, fsys fsx.FS)) *world {
	w := &world{sim: kernel.New(kernel.Config{Seed: 1, Record: true})}
	w.driver = driver.New(w.sim, driver.ByKey)
	disk := simdisk.New(w.sim, c)
	w.node = w.sim.AddNode("n1", func(n *kernel.Node) {
		fsys := fsx.Sim(w.driver.Proc(n), w.vol)
		go process(w, fsys)
	})
	w.vol = disk.Volume(w.node)
	w.sim.Start()
	w.driver.Run(kernel.Time(time.Hour), func() bool { return w.done })
	w.driver.Close()
	return w
}

// onBoth runs a test on a real and on a simulated file system.
func onBoth(t *testing.T, test func(t *testing.T, fsys fsx.FS)) {
	t.Run("os", func(t *testing.T) { test(t, newOS(t)) })
	t.Run("sim", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			simulate(simdisk.Config{}, func(w *world, fsys fsx.FS) {
				test(t, fsys)
				w.done = true
			})
		})
	})
}

func newOS(t *testing.T) fsx.FS {
	t.Helper()
	fsys, err := fsx.OS(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return fsys
}

func TestConformance(t *testing.T) {
	onBoth(t, func(t *testing.T, fsys fsx.FS) {
		for _, c := range fsx.Conformance() {
			if err := c.Run(fsys); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestIOFS(t *testing.T) {
	onBoth(t, func(t *testing.T, fsys fsx.FS) {
		if err := fsys.MkdirAll("a/b", 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"top", "a/mid", "a/b/leaf", "a/b/empty"} {
			content := []byte(name)
			if name == "a/b/empty" {
				content = nil
			}
			if err := fsys.WriteFile(name, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := fstest.TestFS(fsx.IOFS(fsys), "top", "a", "a/mid", "a/b", "a/b/leaf", "a/b/empty"); err != nil {
			t.Error(err)
		}
	})
}
