// SPDX-License-Identifier: MPL-2.0

package simnet_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// block is a payload of so many bytes.
type block int

func (b block) Size() int        { return int(b) }
func (b block) Describe() string { return fmt.Sprintf("block of %d", int(b)) }

// fates sends blocks at once over a link and returns when each arrived, or why
// it was dropped, in the order of the trace.
func fates(link simnet.LinkConfig, blocks ...block) []string {
	s := kernel.New(kernel.Config{Seed: 1, Record: true})
	nw := simnet.New(s, simnet.Config{Link: link})
	n1 := s.AddNode("n1", nil)
	n2 := s.AddNode("n2", func(n *kernel.Node) { nw.Handle(n, func(kernel.NodeID, any) {}) })
	s.Start()
	s.At(0, func() {
		for _, b := range blocks {
			nw.Send(n1, n2.ID(), b)
		}
	})
	s.Run()
	var seen []string
	for _, r := range s.Records() {
		switch r.Kind {
		case simnet.KindDeliver:
			seen = append(seen, r.At.Sub(0).String())
		case simnet.KindDrop:
			seen = append(seen, r.Attrs[0].Value)
		}
	}
	return seen
}

func TestBandwidth(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name   string
		link   simnet.LinkConfig
		blocks []block
		want   string
	}{
		{"no limit", simnet.LinkConfig{Latency: ms}, []block{1000, 1000}, "1ms 1ms"},
		{"one behind the other", simnet.LinkConfig{Latency: ms, Bandwidth: 1_000_000}, []block{1000, 2000, 1000}, "2ms 4ms 5ms"},
		{"no bytes take no time", simnet.LinkConfig{Latency: ms, Bandwidth: 1}, []block{0, 0}, "1ms 1ms"},
		{"slower than any run", simnet.LinkConfig{Bandwidth: 1}, []block{1 << 40}, "8760h0m0s"},
		{"queue", simnet.LinkConfig{Bandwidth: 1_000_000, Queue: 1500}, []block{1000, 1000, 1000}, "queue 1ms 2ms"},
		{"queue of one", simnet.LinkConfig{Bandwidth: 1_000_000, Queue: 1}, []block{1000, 1000}, "queue 1ms"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(fates(test.link, test.blocks...), " "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestPayloadWithoutSize(t *testing.T) {
	s := kernel.New(kernel.Config{Record: true})
	nw := simnet.New(s, simnet.Config{Link: simnet.LinkConfig{Latency: 1, Bandwidth: 1000}})
	n1, n2 := s.AddNode("n1", nil), s.AddNode("n2", nil)
	s.Start()
	var raw, big kernel.Time
	s.At(0, func() {
		nw.SendRaw(n1.ID(), n2.ID(), "raw", func() { raw = s.Now() })
		nw.SendRawSize(n1.ID(), n2.ID(), "big", 900, func() { big = s.Now() })
	})
	s.Run()
	if raw != kernel.Time(100*time.Millisecond)+1 || big != kernel.Time(time.Second)+1 {
		t.Errorf("arrived at %v and %v, want a tenth of a second and a second", raw, big)
	}
}

// letter is a payload that can be damaged.
type letter string

func (l letter) Corrupt(r *rand.Rand) any {
	b := []byte(l)
	b[kernel.Uniform(r, 0, int64(len(b)-1))] ^= 0x20
	return letter(b)
}
func (l letter) Describe() string { return string(l) }

func TestCorruption(t *testing.T) {
	run := func(payload any, ppm int64) ([]any, simnet.Stats) {
		s := kernel.New(kernel.Config{Seed: 3})
		nw := simnet.New(s, simnet.Config{Link: simnet.LinkConfig{Latency: 1, FIFO: true, DupPPM: 300_000, CorruptPPM: ppm}})
		var got []any
		n1 := s.AddNode("n1", nil)
		n2 := s.AddNode("n2", func(n *kernel.Node) { nw.Handle(n, func(_ kernel.NodeID, p any) { got = append(got, p) }) })
		s.Start()
		s.At(0, func() {
			for range 100 {
				nw.Send(n1, n2.ID(), payload)
			}
		})
		s.Run()
		return got, nw.Stats()
	}
	whole, clean := run(letter("abc"), 0)
	got, stats := run(letter("abc"), 500_000)
	damaged := slices.DeleteFunc(slices.Clone(got), func(p any) bool { return p == letter("abc") })
	if uint64(len(damaged)) != stats.Corrupted || len(damaged) < 30 || len(damaged) > 100 {
		t.Errorf("%d of %d letters arrived damaged, and %d were counted", len(damaged), len(got), stats.Corrupted)
	}
	if stats.Duplicated != clean.Duplicated || len(got) != len(whole) {
		t.Errorf("with damage %+v, without %+v: the other choices of the link changed", stats, clean)
	}
	got, stats = run("plain", 1_000_000)
	if len(got) != 0 || stats.Dropped[simnet.Corrupt] != stats.Sent+stats.Duplicated {
		t.Errorf("%d payloads arrived that cannot be damaged, %+v", len(got), stats)
	}
}

func TestLimitsAreValidated(t *testing.T) {
	for _, test := range []struct {
		link simnet.LinkConfig
		want string
	}{
		{simnet.LinkConfig{Bandwidth: -1}, "Bandwidth -1"},
		{simnet.LinkConfig{Queue: -1}, "Queue -1"},
		{simnet.LinkConfig{CorruptPPM: 1_000_001}, "CorruptPPM 1000001"},
	} {
		if err := test.link.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want an error about %s", test.link, err, test.want)
		}
	}
}
