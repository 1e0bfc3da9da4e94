// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"maps"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// Disk holds the volumes of a world.
type Disk struct {
	sim     *kernel.Sim
	config  Config
	latency map[Op]Latencies
	volumes map[kernel.NodeID]*Volume
}

// New returns a disk for the nodes of s, each with an empty volume. It panics if
// c.Validate fails.
func New(s *kernel.Sim, c Config) *Disk {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	d := &Disk{
		sim:     s,
		config:  c.withDefaults(),
		latency: map[Op]Latencies{},
		volumes: map[kernel.NodeID]*Volume{},
	}
	for _, op := range ops {
		d.latency[op] = defaultLatency[op]
		if l, ok := c.Latency[op]; ok {
			d.latency[op] = l
		}
	}
	s.OnCrash(func(n *kernel.Node) {
		if v := d.volumes[n.ID()]; v != nil {
			v.crash()
		}
	})
	return d
}

// Config returns the configuration in effect, defaults filled in.
func (d *Disk) Config() Config {
	c := d.config
	c.Latency = maps.Clone(d.latency)
	return c
}

// Volume returns the volume of n, always the same one. It outlives the node's
// crashes and can be read while the node is down.
func (d *Disk) Volume(n *kernel.Node) *Volume {
	v := d.volumes[n.ID()]
	if v == nil {
		v = newVolume(d, n)
		d.volumes[n.ID()] = v
	}
	return v
}
