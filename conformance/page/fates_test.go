// SPDX-License-Identifier: MPL-2.0

package page_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// simulated is a passing run of what world does to a fresh simulator.
func simulated(seed uint64, nodes []string, world func(s *kernel.Sim)) *artifact.Run {
	s := kernel.New(kernel.Config{Seed: seed, Record: true})
	run := &artifact.Run{Report: artifact.Report{Status: artifact.Pass, Package: "example.com/made", Test: "TestMade", Mode: "event"}}
	for i, name := range nodes {
		s.AddNode(name, nil)
		run.Report.Nodes = append(run.Report.Nodes, artifact.Node{ID: i + 1, Name: name})
	}
	s.Start()
	s.Run()
	world(s)
	run.Records = s.Records()
	run.Report.Run = artifact.Stats{EndNS: int64(s.Now()), Records: s.RecordCount()}
	return run
}

// factsOf returns what the panel says under a name of each record of a kind.
func (p *tab) factsOf(kind, name string) (list []string) {
	p.t.Helper()
	p.must(p.Eval(`[...document.querySelectorAll("#kinds-filter button")].find((b) => b.textContent === "None").click()`, nil))
	p.must(p.Eval(`[...document.querySelectorAll("#kinds-filter label span")].find((l) => l.textContent === "`+kind+`").click()`, nil))
	p.settle()
	for i := range p.count("records") {
		if i > 0 {
			p.press("j")
		} else {
			p.must(p.Eval(`document.querySelector("[role=option]").click()`, nil))
		}
		list = append(list, p.text(`[...document.querySelectorAll("#details dt")].filter((e) => e.textContent === "`+name+`").map((e) => e.nextSibling.textContent).join("; ")`))
	}
	return list
}

func TestDurability(t *testing.T) {
	write := func(v *simdisk.Volume, path string, sync bool, sizes ...int) {
		f, err := v.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range sizes {
			if _, err := f.Append(make([]byte, size)); err != nil {
				t.Fatal(err)
			}
		}
		if sync {
			_ = f.Sync() // which fails on purpose in one place
		}
	}
	torn := func(seed uint64) *artifact.Run {
		return simulated(seed, []string{"n1"}, func(s *kernel.Sim) {
			v := simdisk.New(s, simdisk.Config{Crash: simdisk.CrashTorn, Metadata: simdisk.MetadataImmediate}).Volume(s.Node("n1"))
			write(v, "/wal", false, 4096)
			s.Node("n1").Crash()
		})
	}
	mixed := func(seed uint64) *artifact.Run {
		return simulated(seed, []string{"n1", "n2"}, func(s *kernel.Sim) {
			disks := simdisk.New(s, simdisk.Config{Crash: simdisk.CrashLoseUnsynced})
			v := disks.Volume(s.Node("n1"))
			write(v, "/synced", true, 10)
			write(v, "/unsynced", false, 10, 20)
			if err := v.SyncDir("/"); err != nil {
				t.Fatal(err)
			}
			write(v, "/nameless", true, 10)
			s.Node("n1").Crash()
			v = disks.Volume(s.Node("n2"))
			write(v, "/open", false, 10)
			v.FailSyncs(1)
			write(v, "/failed", true, 10)
		})
	}
	for _, c := range []struct {
		name string
		run  func(seed uint64) *artifact.Run
		says string // of a crash, in a seed that is wanted
		want []string
	}{
		{"torn", torn, "tore", []string{"torn in a crash"}},
		{"mixed", mixed, "entry /nameless", []string{
			"synced", "lost in a crash", "lost in a crash", "lost in a crash: the file lost its directory entry", "not synced by the end", "its sync failed",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newTab(t)
			seed := uint64(1)
			for !slices.ContainsFunc(c.run(seed).Records, func(r kernel.Record) bool { return strings.Contains(r.Text, c.says) }) {
				seed++
			}
			p.open(written(t, c.run(seed)))
			got := p.factsOf("disk.write", "durability")
			for i := range got {
				got[i], _, _ = strings.Cut(got[i], " (record")
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("the fates of writes are %q, want %q", got, c.want)
			}
		})
	}
}

func TestFatesOfMessages(t *testing.T) {
	run := simulated(1, []string{"n1", "n2", "n3"}, func(s *kernel.Sim) {
		nw := simnet.New(s, simnet.Config{Link: simnet.LinkConfig{Latency: 2 * time.Millisecond}})
		n1, n2 := s.Node("n1"), s.Node("n2")
		nw.Handle(n2, func(kernel.NodeID, any) {})
		nw.Send(n1, n2.ID(), "arrives")
		s.Run()
		nw.Cut(n1.ID(), n2.ID())
		nw.Send(n1, n2.ID(), "is cut off")
		nw.HealLink(n1.ID(), n2.ID())
		nw.SetLink(n1.ID(), n2.ID(), simnet.LinkConfig{Latency: 3 * time.Millisecond, DupPPM: 1_000_000})
		nw.Send(n1, n2.ID(), "arrives twice")
		s.Run()
		nw.Send(n1, 3, "nobody listens")
		s.Run()
		nw.Send(n1, n2.ID(), "is late")
	})
	p := newTab(t)
	p.open(written(t, run))
	got := p.factsOf("net.send", "message")
	want := []string{"delivered after 2 ms", "dropped: partition", "duplicated, delivered after 3 ms; duplicated, delivered after 3 ms", "dropped: no-handler", "still under way at the end"}
	if !slices.Equal(got, want) {
		t.Errorf("the fates of messages are %q, want %q", got, want)
	}
}
