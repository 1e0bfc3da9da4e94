// SPDX-License-Identifier: MPL-2.0

package simnet

import (
	"cmp"
	"slices"

	"github.com/hmdsefi/gograph"
	"github.com/hmdsefi/gograph/connectivity"

	"github.com/hmdsefi/faultline/sim/kernel"
)

type nodeID = kernel.NodeID

// topology is the graph of the links that are not cut. It is brought up to date
// when somebody asks, so that a run that never asks pays nothing.
type topology struct {
	graph gograph.Graph[nodeID]
	stale []*link // cut or healed since, each once
}

// changed notes that l was cut or healed.
func (t *topology) changed(l *link) {
	if !l.stale {
		l.stale = true
		t.stale = append(t.stale, l)
	}
}

// Graph returns the topology as it is now: a vertex for every node, an edge for
// every link that is not cut. The graph belongs to the network, which brings it up
// to date in the next topology query; callers must not change it. Whether nodes
// are up plays no part, here and in the queries below.
func (nw *Network) Graph() gograph.Graph[kernel.NodeID] {
	t := &nw.topology
	nodes := nw.sim.Nodes()
	for i := int(t.graph.Order()); i < len(nodes); i++ {
		id := nodes[i].ID()
		t.graph.AddVertexByLabel(id)
		for _, earlier := range nodes[:i] {
			t.update(nw.linkOf(id, earlier.ID()))
			t.update(nw.linkOf(earlier.ID(), id))
		}
	}
	for _, l := range t.stale {
		t.update(l)
	}
	t.stale = t.stale[:0]
	return t.graph
}

// update makes the graph agree with l.
func (t *topology) update(l *link) {
	l.stale = false
	switch {
	case !l.cut && l.edge == nil:
		// The two vertices exist and the edge does not, so there is no error.
		l.edge, _ = t.graph.AddEdge(t.graph.GetVertexByID(l.from.ID()), t.graph.GetVertexByID(l.to.ID()))
	case l.cut && l.edge != nil:
		t.graph.RemoveEdges(l.edge)
		l.edge = nil
	}
}

// Connected reports whether the two nodes can send each other messages directly,
// in both directions.
func (nw *Network) Connected(a, b kernel.NodeID) bool {
	return nw.Reach(a, b) && nw.Reach(b, a)
}

// Components returns the sets of nodes within which everyone can reach everyone,
// directly or through others: the strongly connected components. Nodes and sets
// are in ascending order.
func (nw *Network) Components() [][]kernel.NodeID {
	var sets [][]nodeID
	for _, component := range connectivity.Tarjan(nw.Graph()) {
		set := make([]nodeID, 0, len(component))
		for _, v := range component {
			set = append(set, v.Label())
		}
		slices.Sort(set)
		sets = append(sets, set)
	}
	slices.SortFunc(sets, slices.Compare)
	return sets
}

// QuorumHubs returns the members, in ascending order, that are connected to a
// majority of the members, themselves included: those that could lead. Without
// arguments every node is a member.
func (nw *Network) QuorumHubs(members ...kernel.NodeID) []kernel.NodeID {
	members = nw.members(members)
	var hubs []nodeID
	for _, m := range members {
		peers := 0
		for _, o := range members {
			if nw.Connected(m, o) {
				peers++
			}
		}
		if peers > len(members)/2 {
			hubs = append(hubs, m)
		}
	}
	return hubs
}

// members returns ids sorted and without repetition and unknown nodes, or the ids
// of all nodes if there are none.
func (nw *Network) members(ids []nodeID) []nodeID {
	if len(ids) == 0 {
		for _, n := range nw.sim.Nodes() {
			ids = append(ids, n.ID())
		}
		return ids
	}
	ids = slices.DeleteFunc(slices.Clone(ids), func(id nodeID) bool { return nw.port(id) == nil })
	slices.SortFunc(ids, cmp.Compare)
	return slices.Compact(ids)
}
