// SPDX-License-Identifier: MPL-2.0

// Package register_test is a first test in event mode: three servers keep a number
// on disk, and a client writes the next one when two of them have the last.
package register_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

const path = "/number"

// The messages. What Describe returns stands in the trace.
type (
	write struct{ number uint64 }
	saved struct{ number uint64 }
)

func (m write) Describe() string { return fmt.Sprint("write ", m.number) }
func (m saved) Describe() string { return fmt.Sprint("saved ", m.number) }

// serve boots a server: it saves what it is sent and says so.
func serve(w *faultline.World) func(n *kernel.Node) {
	return func(n *kernel.Node) {
		disk := w.Disk.Volume(n)
		w.Net.Handle(n, func(from kernel.NodeID, msg any) {
			number := msg.(write).number
			if old, err := disk.ReadFile(path); err != nil || number < binary.BigEndian.Uint64(old) {
				return // a message that the network has delayed
			}
			if save(disk, number) == nil {
				w.Net.Send(n, from, saved{number})
			}
		})
	}
}

func save(disk *simdisk.Volume, number uint64) error {
	f, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt(binary.BigEndian.AppendUint64(nil, number), 0); err != nil {
		return err
	}
	return f.Sync()
}

// client writes numbers, one after the other.
type client struct {
	w       *faultline.World
	servers []*kernel.Node
	number  uint64 // that it writes now, or next
	saved   uint64 // the last that a majority has
	by      map[kernel.NodeID]bool
	at      kernel.Time // when the last number was saved
}

func (c *client) boot(n *kernel.Node) {
	c.w.Net.Handle(n, func(from kernel.NodeID, msg any) {
		if msg.(saved).number != c.number {
			return
		}
		c.by[from] = true
		if len(c.by) > len(c.servers)/2 {
			c.saved, c.at = c.number, c.w.Sim.Now()
			c.number++
			n.After(20*time.Millisecond, func() { c.next(n) })
		}
	})
	c.next(n)
}

func (c *client) next(n *kernel.Node) {
	c.by = map[kernel.NodeID]bool{}
	c.try(n, c.number)
}

func (c *client) try(n *kernel.Node, number uint64) {
	if number != c.number {
		return
	}
	for _, s := range c.servers {
		c.w.Net.Send(n, s.ID(), write{number})
	}
	n.After(50*time.Millisecond, func() {
		if number == c.number {
			c.w.Reached("a second try")
		}
		c.try(n, number)
	})
}

// durable wants the last saved number on the disks of a majority.
func (c *client) durable() error {
	holders := 0
	for _, s := range c.servers {
		if data, err := c.w.Disk.Volume(s).ReadDurable(path); err == nil && binary.BigEndian.Uint64(data) >= c.saved {
			holders++
		}
	}
	if holders <= len(c.servers)/2 {
		return fmt.Errorf("%d was saved, and %d of %d disks hold it", c.saved, holders, len(c.servers))
	}
	return nil
}

var opts = faultline.Options{Duration: 20 * time.Second}

// world is the body of the tests.
func world(faults fault.Random) func(w *faultline.World) {
	return func(w *faultline.World) {
		c := &client{w: w, number: 1}
		for _, name := range []string{"n1", "n2", "n3"} {
			s := w.AddServer(name, serve(w))
			if err := w.Disk.Volume(s).WriteFileDurable(path, make([]byte, 8)); err != nil {
				w.T().Fatal(err)
			}
			c.servers = append(c.servers, s)
		}
		w.AddClient("c1", c.boot)
		w.Plan(faults)

		w.Sometimes("a second try")
		w.Invariant("saved numbers are durable", c.durable)
		w.Final("progress after the faults", func() error {
			if quiet := kernel.Time(opts.Duration * 3 / 4); c.at < quiet {
				return fmt.Errorf("the last number was saved at t=%v, before t=%v", c.at, quiet)
			}
			return nil
		})
	}
}

var rules = []fault.Rule{
	{Kind: fault.KindCrash, Every: 2 * time.Second, MinFor: 50 * time.Millisecond, MaxFor: time.Second},
	{Kind: fault.KindPause, Every: 3 * time.Second, MinFor: 50 * time.Millisecond, MaxFor: 2 * time.Second},
	{Kind: fault.KindPartition, Role: fault.AllNodes, Every: 3 * time.Second, MinFor: 100 * time.Millisecond, MaxFor: time.Second},
	{Kind: fault.KindLink, Role: fault.AllNodes, Every: 2 * time.Second, MinFor: 100 * time.Millisecond, MaxFor: time.Second},
	{Kind: fault.KindSyncFail, Every: 3 * time.Second},
}

func TestRegister(t *testing.T) {
	faultline.Run(t, opts, world(fault.Random{Rules: rules}))
}

// TestRegisterSwarm gives each seed only some kinds of faults.
func TestRegisterSwarm(t *testing.T) {
	faultline.Run(t, opts, world(fault.Random{Swarm: true, Rules: rules}))
}

// TestRegisterLiveness leaves one server broken for good: the others must go on.
func TestRegisterLiveness(t *testing.T) {
	faultline.Run(t, opts, world(fault.Random{Core: 2, Rules: rules}))
}
