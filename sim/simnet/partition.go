// SPDX-License-Identifier: MPL-2.0

package simnet

import (
	"strings"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// The kinds of the records of changes to the topology.
const (
	KindPartition kernel.Kind = "net.partition"
	KindIsolate   kernel.Kind = "net.isolate"
	KindCut       kernel.Kind = "net.cut"
	KindHeal      kernel.Kind = "net.heal"
	KindHealLink  kernel.Kind = "net.heal-link"
)

// Partition cuts every link between nodes of different groups, in both
// directions. Nodes in no group keep all their links. Cuts add up until they are
// healed; messages in flight over a link that is cut are dropped, also if the
// link heals before they would arrive. Unknown nodes are ignored. It reports
// whether a link was cut that was not before.
func (nw *Network) Partition(groups ...[]kernel.NodeID) bool {
	changed := false
	for i, group := range groups {
		for _, other := range groups[i+1:] {
			changed = nw.cutBetween(group, other) || changed
		}
	}
	if changed {
		nw.sim.Emit(nil, KindPartition, nw.names(groups...))
	}
	return changed
}

// Isolate cuts every link from and to the node. It reports whether a link was cut
// that was not before.
func (nw *Network) Isolate(id kernel.NodeID) bool {
	changed := false
	for _, n := range nw.sim.Nodes() {
		changed = nw.cutBetween([]kernel.NodeID{id}, []kernel.NodeID{n.ID()}) || changed
	}
	if changed {
		nw.sim.Emit(nil, KindIsolate, nw.name(id))
	}
	return changed
}

// Cut cuts the link in this one direction. It reports whether there is such a
// link and it was not cut before.
func (nw *Network) Cut(from, to kernel.NodeID) bool {
	changed := nw.setCut(from, to, true)
	if changed {
		nw.sim.Emit(nil, KindCut, nw.name(from)+" to "+nw.name(to))
	}
	return changed
}

// HealLink undoes a cut in this one direction. It reports whether the link was
// cut.
func (nw *Network) HealLink(from, to kernel.NodeID) bool {
	changed := nw.setCut(from, to, false)
	if changed {
		nw.sim.Emit(nil, KindHealLink, nw.name(from)+" to "+nw.name(to))
	}
	return changed
}

// Heal undoes all cuts. It reports whether there was one.
func (nw *Network) Heal() bool {
	changed := false
	for _, p := range nw.ports {
		if p == nil {
			continue
		}
		for _, l := range p.links {
			if l != nil && l.cut {
				changed = nw.setCut(l.from.ID(), l.to.ID(), false)
			}
		}
	}
	if changed {
		nw.sim.Emit(nil, KindHeal, "")
	}
	return changed
}

// Reach reports whether a message that is sent now from one node to the other
// would not be stopped by a cut. A node reaches itself.
func (nw *Network) Reach(from, to kernel.NodeID) bool {
	if nw.port(from) == nil || nw.port(to) == nil {
		return false
	}
	l := nw.linkOf(from, to)
	return l == nil || !l.cut
}

func (nw *Network) cutBetween(as, bs []kernel.NodeID) bool {
	changed := false
	for _, a := range as {
		for _, b := range bs {
			changed = nw.setCut(a, b, true) || changed
			changed = nw.setCut(b, a, true) || changed
		}
	}
	return changed
}

func (nw *Network) setCut(from, to kernel.NodeID, cut bool) bool {
	l := nw.linkOf(from, to)
	if l == nil || l.cut == cut {
		return false
	}
	l.cut = cut
	nw.topology.changed(l)
	if cut {
		l.cuts++
	}
	return true
}

// names lists nodes in groups, such as "n1 n2 | n3".
func (nw *Network) names(groups ...[]kernel.NodeID) string {
	var b strings.Builder
	for i, group := range groups {
		if i > 0 {
			b.WriteString(" | ")
		}
		for j, id := range group {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(nw.name(id))
		}
	}
	return b.String()
}
