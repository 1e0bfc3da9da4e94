// SPDX-License-Identifier: MPL-2.0

package fsx_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/fsx"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// BenchmarkWriteSync is one write and one sync of a simulated file by a process:
// two calls to the simulator, each with a latency.
func BenchmarkWriteSync(b *testing.B) {
	b.ReportAllocs()
	ok := testing.RunTests(func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "bubble", F: func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { writeSync(b.N) })
		}}})
	if !ok {
		b.Fatal("the bubble failed")
	}
}

func writeSync(times int) {
	sim := kernel.New(kernel.Config{MaxEvents: 10*times + 100})
	d := driver.New(sim, driver.ByKey)
	disk := simdisk.New(sim, simdisk.Config{})
	done := false
	sim.AddNode("n1", func(n *kernel.Node) {
		fsys := fsx.Sim(d.Proc(n), disk.Volume(n))
		go func() {
			defer func() { done = true }()
			f, err := fsys.Create("wal")
			data := make([]byte, 128)
			for i := 0; i < times && err == nil; i++ {
				if _, err = f.WriteAt(data, int64(i%8192)*128); err == nil {
					err = f.Sync()
				}
			}
			if err != nil {
				panic(err)
			}
		}()
	})
	sim.Start()
	d.Run(kernel.Time(1000*time.Hour), func() bool { return done })
	d.Close()
}
