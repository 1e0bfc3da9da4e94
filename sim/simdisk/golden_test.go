// SPDX-License-Identifier: MPL-2.0

package simdisk_test

import (
	"os"
	"testing"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// The golden hashes are the same on every platform and for every Go release. A change
// of one is a change of what every seed means: bump it knowingly.
var golden = map[string]struct {
	config simdisk.Config
	hash   uint64
}{
	"any":           {simdisk.Config{}, 0x76a233f474b20073},
	"lose unsynced": {simdisk.Config{Crash: simdisk.CrashLoseUnsynced}, 0x809d40d821b681bc},
	"keep prefix":   {simdisk.Config{Crash: simdisk.CrashKeepPrefix}, 0x5ad45e70307a57e0},
	"keep subset":   {simdisk.Config{Crash: simdisk.CrashKeepSubset}, 0xff23638c24d8c3a4},
	"torn":          {simdisk.Config{Crash: simdisk.CrashTorn, Sector: 16}, 0x711ac723f4c00471},
	"immediate":     {simdisk.Config{Metadata: simdisk.MetadataImmediate, Capacity: 400}, 0xb686d1f2fd8add53},
	"retain":        {simdisk.Config{FailedSync: simdisk.FailedSyncRetain}, 0x75bcd0bbe5c8922},
}

func TestGoldenTraceHashes(t *testing.T) {
	for name, g := range golden {
		if got := goldenRun(g.config); got != g.hash {
			t.Errorf("%s: the run gave %#x, want %#x", name, got, g.hash)
		}
	}
}

// goldenRun does 2,000 random things to a volume and returns the trace hash. What
// the volume holds after each crash is in the trace, too.
func goldenRun(c simdisk.Config) uint64 {
	n, v := boot(7, c)
	r := n.Sim().Rand("workload/golden")
	pick := func(list ...string) string { return list[kernel.Uniform(r, 0, int64(len(list)-1))] }
	file := func() string { return pick("/a", "/b", "/d/a", "/d/b") }
	with := func(use func(f *simdisk.File) error) error {
		f, err := v.OpenFile(file(), os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		return use(f)
	}
	steps := []func() error{
		func() error { return v.MkdirAll("/d", 0o755) },
		func() error { return v.Rename(file(), file()) },
		func() error { return v.Remove(pick("/a", "/d/b", "/d")) },
		func() error { return v.SyncDir(pick("/", "/d")) },
		func() error { return with((*simdisk.File).Sync) },
		func() error {
			return with(func(f *simdisk.File) error { return f.Truncate(kernel.Uniform(r, 0, 100)) })
		},
		func() error { v.FailSyncs(int(kernel.Uniform(r, 0, 2))); return nil },
		func() error { v.MisdirectWrites(int(kernel.Uniform(r, 0, 1))); return nil },
		func() error { return v.Corrupt(file(), kernel.Uniform(r, 0, 50), 3) },
	}
	write := func(f *simdisk.File) error {
		_, err := f.WriteAt(make([]byte, kernel.Uniform(r, 1, 60)), kernel.Uniform(r, 0, 100))
		return err
	}
	for i := range 2000 {
		if i%50 == 49 {
			n.Crash()
			n.Restart()
			for _, name := range v.Files() {
				data, _ := v.ReadFile(name)
				n.Logf("%s %x", name, data)
			}
		}
		step := func() error { return with(write) }
		if kernel.Chance(r, 500_000) {
			step = steps[kernel.Uniform(r, 0, int64(len(steps)-1))]
		}
		if step() != nil {
			n.Logf("refused") // how an error number reads depends on the system
		}
	}
	return n.Sim().TraceHash()
}
