// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// The system under test of several tests here: a server that keeps a log of puts and
// a client that sends puts until each was acknowledged, in event mode.

type put struct{ key, value string }

func (p put) Describe() string { return "put " + p.key }

type ack struct{ key string }

func (a ack) Describe() string { return "ack " + a.key }

// logServer answers puts. Unless it syncs first, it answers with a promise that it
// cannot keep: a timer syncs the log every 5 ms.
type logServer struct {
	w         *faultline.World
	node      *kernel.Node
	syncFirst bool
	data      map[string]string
}

func (s *logServer) boot(n *kernel.Node) {
	s.data = make(map[string]string)
	vol := s.w.Disk.Volume(n)
	content, err := vol.ReadFile("/log")
	if err != nil {
		s.w.T().Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			s.data[key] = value
		}
	}
	file, err := vol.Open("/log")
	if err != nil {
		s.w.T().Fatal(err)
	}
	if !s.syncFirst {
		s.syncLater(n, file)
	}
	s.w.Net.Handle(n, func(from kernel.NodeID, msg any) { s.put(n, from, file, msg.(put)) })
}

func (s *logServer) syncLater(n *kernel.Node, file *simdisk.File) {
	n.After(5*time.Millisecond, func() {
		if file.Sync() == nil {
			s.syncLater(n, file)
		}
	})
}

func (s *logServer) put(n *kernel.Node, from kernel.NodeID, file *simdisk.File, p put) {
	if _, err := file.Append([]byte(p.key + "=" + p.value + "\n")); err != nil {
		return
	}
	if s.syncFirst && file.Sync() != nil {
		return
	}
	s.data[p.key] = p.value
	s.w.Net.Send(n, from, ack{p.key})
}

// logClient sends puts one after the other and remembers what was acknowledged.
type logClient struct {
	w      *faultline.World
	server kernel.NodeID
	puts   int
	next   int
	acked  []string
	op     int
}

func (c *logClient) boot(n *kernel.Node) {
	c.w.Net.Handle(n, func(_ kernel.NodeID, msg any) {
		if msg.(ack).key != fmt.Sprintf("k%d", c.next) {
			return // of a put that was sent twice
		}
		c.acked = append(c.acked, msg.(ack).key)
		c.w.History.Complete(c.op, "ok", nil)
		if c.next++; c.next < c.puts {
			c.send(n)
		}
	})
	c.send(n)
}

func (c *logClient) send(n *kernel.Node) {
	key := fmt.Sprintf("k%d", c.next)
	c.op = c.w.History.Invoke(n.Name(), "put", key)
	c.try(n, c.next)
}

func (c *logClient) try(n *kernel.Node, put1 int) {
	if c.next != put1 {
		return
	}
	key := fmt.Sprintf("k%d", put1)
	c.w.Net.Send(n, c.server, put{key, "v" + key[1:]})
	n.After(20*time.Millisecond, func() { c.try(n, put1) })
}

func (c *logClient) lost(s *logServer) error {
	if s.node.State() != kernel.Up {
		return nil
	}
	for _, key := range c.acked {
		if s.data[key] == "" {
			return fmt.Errorf("%s was acknowledged, but %s does not have it", key, s.node.Name())
		}
	}
	return nil
}

func (c *logClient) done() error {
	if c.next < c.puts {
		return fmt.Errorf("%d of %d puts were acknowledged", c.next, c.puts)
	}
	return nil
}

// logWorld is the body of these tests.
func logWorld(syncFirst bool) func(w *faultline.World) {
	return func(w *faultline.World) {
		s := &logServer{w: w, syncFirst: syncFirst, data: make(map[string]string)}
		s.node = w.AddServer("n1", s.boot)
		if err := w.Disk.Volume(s.node).WriteFileDurable("/log", nil); err != nil {
			w.T().Fatal(err)
		}
		c := &logClient{w: w, server: s.node.ID(), puts: 200}
		w.AddClient("c1", c.boot)
		w.Plan(fault.Random{MaxDown: 1, Rules: []fault.Rule{{
			Kind: fault.KindCrash, Every: time.Second, MinFor: 10 * time.Millisecond, MaxFor: 500 * time.Millisecond,
		}}})
		w.Invariant("acked puts survive", func() error { return c.lost(s) })
		w.Final("every put acked", c.done)
	}
}

var logOptions = faultline.Options{Seeds: 30, Duration: 10 * time.Second}
