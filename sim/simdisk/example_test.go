// SPDX-License-Identifier: MPL-2.0

package simdisk_test

import (
	"fmt"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// A file that was synced is lost all the same if its directory was not.
func Example() {
	sim := kernel.New(kernel.Config{Seed: 4, Record: true})
	n := sim.AddNode("n1", nil)
	v := simdisk.New(sim, simdisk.Config{}).Volume(n)
	sim.Start()
	sim.Run()

	for _, name := range []string{"/wal", "/lock"} {
		f, _ := v.Create(name)
		f.Append([]byte("k1=v1\n"))
		f.Sync()
		if name == "/wal" {
			v.SyncDir("/")
		}
	}
	n.Crash()

	fmt.Println(v.Files())
	last := sim.Records()[sim.RecordCount()-1]
	fmt.Println(last.Kind, last.Text)
	// Output:
	// [/wal]
	// disk.crash crash dropped the directory entry /lock
}

func ExampleConfig_Validate() {
	fmt.Println(simdisk.Config{Crash: "lose-some"}.Validate())
	// Output:
	// simdisk: Config.Crash is "lose-some"; it accepts "any", "lose-unsynced", "keep-prefix", "keep-subset", "torn"
}
