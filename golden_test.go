// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// goldenWorlds are event-mode tests with the trace hashes of three of their seeds.
// The hashes are the same on every platform and with every toolchain that is known. A
// change of one is a change of what every seed means: bump it knowingly.
var goldenWorlds = map[string]struct {
	body   func(w *faultline.World)
	hashes []string
}{
	"log":      {logWorld(true), []string{"dac69094fb2e96f1", "b3d6590555272752", "a22370391bbfc955"}},
	"storm":    {stormWorld(fault.Random{}), []string{"372b5c71c0dac7a1", "c5af44855038dc84", "00dbf9b8fe9624ed"}},
	"swarm":    {stormWorld(fault.Random{Swarm: true}), []string{"b6ed573042974b68", "86d698eff9e172fe", "ff7b8579d6415269"}},
	"liveness": {stormWorld(fault.Random{Core: 2}), []string{"bd3bb2dd2e1450fb", "0e48f3fbc7300b4c", "1c92bbead82da749"}},
}

func TestGoldenHashesOfEventMode(t *testing.T) {
	for _, name := range []string{"FAULTLINE_SEED", "FAULTLINE_SEEDS", "FAULTLINE_BASE_SEED", "FAULTLINE_SEED_LIST", "FAULTLINE_EXPLORE", "FAULTLINE_SCHEDULE"} {
		t.Setenv(name, "") // other seeds have other hashes
	}
	for name, g := range goldenWorlds {
		t.Run(name, func(t *testing.T) {
			var hashes []string
			faultline.Run(t, faultline.Options{Seeds: 3, BaseSeed: 1, Duration: 10 * time.Second}, func(w *faultline.World) {
				g.body(w)
				w.Final("hash", func() error {
					hashes = append(hashes, fmt.Sprintf("%016x", w.Sim.TraceHash()))
					return nil
				})
			})
			if !slices.Equal(hashes, g.hashes) {
				t.Errorf("%q, want %q", hashes, g.hashes)
			}
		})
	}
}

// stormWorld is three servers that tell each other what they write down, under faults
// of every kind that a rule can have. The newest server is the role that one rule aims at.
func stormWorld(faults fault.Random) func(w *faultline.World) {
	for _, kind := range []fault.Kind{
		fault.KindPartition, fault.KindIsolate, fault.KindCut, fault.KindLink, fault.KindCrash, fault.KindPause,
		fault.KindClockDrift, fault.KindSyncFail, fault.KindDiskCapacity, fault.KindMisdirectWrite, fault.KindMisdirectRead,
	} {
		faults.Rules = append(faults.Rules, fault.Rule{Kind: kind, Every: time.Second, MinFor: 10 * time.Millisecond, MaxFor: time.Second})
	}
	faults.Rules = append(faults.Rules,
		fault.Rule{Kind: fault.KindCorrupt, Every: 2 * time.Second, Magnitude: 3},
		fault.Rule{Kind: fault.KindClockJump, Every: time.Second, Role: "newest", Magnitude: int64(time.Minute)})
	return func(w *faultline.World) {
		var servers []*kernel.Node
		for i := range 3 {
			servers = append(servers, w.AddServer(fmt.Sprintf("n%d", i+1), func(n *kernel.Node) { chatter(w, n) }))
		}
		w.Role("newest", func() []*kernel.Node { return servers[2:] })
		w.Plan(faults)
	}
}

// chatter writes its clock down and tells everybody, again and again.
func chatter(w *faultline.World, n *kernel.Node) {
	write := func(text string) {
		if f, err := w.Disk.Volume(n).Create("/said"); err == nil {
			f.Append([]byte(text)) // it may fail: that is in the trace
			f.Sync()
			f.Close()
		}
	}
	w.Net.Handle(n, func(from kernel.NodeID, msg any) { write(msg.(ack).key) })
	var talk func()
	talk = func() {
		for _, other := range w.Sim.Nodes() {
			if other != n {
				w.Net.Send(n, other.ID(), ack{n.Now().String()})
			}
		}
		n.After(kernel.UniformDuration(n.Rand(), time.Millisecond, 100*time.Millisecond), talk)
	}
	talk()
}
