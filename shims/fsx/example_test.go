// SPDX-License-Identifier: MPL-2.0

package fsx_test

import (
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/fsx"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// replace writes a file so that a power failure leaves its old or its new content.
// It is code as for production: it takes the file system as a value.
func replace(fsys fsx.FS, name string, data []byte) error {
	f, err := fsys.Create(name + ".tmp")
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := fsys.Rename(name+".tmp", name); err != nil {
		return err
	}
	return fsys.SyncDir("/")
}

// In production, the file system is a directory.
func ExampleOS() {
	dir, err := os.MkdirTemp("", "fsx-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	fsys, err := fsx.OS(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(replace(fsys, "config", []byte("v2")))
	data, err := os.ReadFile(dir + "/config")
	fmt.Println(string(data), err)
	// Output:
	// <nil>
	// v2 <nil>
}

// In a simulation, it is the volume of a node. A test of package faultline sets all
// of this up, and Process.FS is the result.
func ExampleSim() {
	sim := kernel.New(kernel.Config{Seed: 1})
	d := driver.New(sim, driver.ByKey)
	disk := simdisk.New(sim, simdisk.Config{})
	sim.AddNode("n1", func(n *kernel.Node) {
		fsys := fsx.Sim(d.Proc(n), disk.Volume(n))
		go func() {
			fmt.Println(replace(fsys, "config", []byte("v2")))
			data, err := fsys.ReadFile("config")
			fmt.Println(string(data), err)
		}()
	})
	sim.Start()
	d.Run(kernel.Time(time.Second), nil)
	d.Close()
}

func ExampleIOFS() {
	dir, err := os.MkdirTemp("", "fsx-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	fsys, err := fsx.OS(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(fsys.MkdirAll("logs/old", 0o755), fsys.WriteFile("logs/old/1", nil, 0o644))
	matches, err := fs.Glob(fsx.IOFS(fsys), "logs/*/*")
	fmt.Println(matches, err)
	// Output:
	// <nil> <nil>
	// [logs/old/1] <nil>
}

func ExampleConformance() {
	dir, err := os.MkdirTemp("", "fsx-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	fsys, err := fsx.OS(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, check := range fsx.Conformance() {
		if err := check.Run(fsys); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
}

// Only one process at a time opens a database in a directory.
func ExampleLocker() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	fsys, err := fsx.OS(dir)
	if err != nil {
		panic(err)
	}
	open := func() (lock fsx.File, err error) {
		if lock, err = fsys.Create("LOCK"); err != nil {
			return nil, err
		}
		switch granted, err := lock.TryLock(); {
		case err != nil:
			return nil, err
		case !granted:
			return nil, fmt.Errorf("the database is in use")
		}
		return lock, nil
	}
	first, err := open()
	if err != nil {
		panic(err)
	}
	_, err = open()
	fmt.Println(err)
	_ = first.Close()
	_, err = open()
	fmt.Println(err)
	// Output:
	// the database is in use
	// <nil>
}
