// SPDX-License-Identifier: MPL-2.0

package simnet

import (
	"math/bits"
	"slices"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// Cliques returns the largest sets of members within which everyone is connected
// to everyone: each maximal clique, a member alone if it has no peer. Nodes and
// sets are in ascending order. Without arguments every node is a member. The
// number of cliques can grow exponentially with the number of cuts.
//
// It does not use gograph's MaximalCliques, which in v0.7.0 loses vertices of
// graphs with more than six.
func (nw *Network) Cliques(members ...kernel.NodeID) [][]kernel.NodeID {
	ids := nw.members(members)
	f := cliqueFinder{peers: make([]bitset, len(ids))}
	for i, a := range ids {
		f.peers[i] = newBitset(len(ids))
		for j, b := range ids {
			if i != j && nw.Connected(a, b) {
				f.peers[i].add(j)
			}
		}
	}
	all := newBitset(len(ids))
	for i := range ids {
		all.add(i)
	}
	f.extend(nil, all, newBitset(len(ids)))

	cliques := make([][]nodeID, 0, len(f.found))
	for _, indices := range f.found {
		clique := make([]nodeID, 0, len(indices))
		for _, i := range indices {
			clique = append(clique, ids[i])
		}
		slices.Sort(clique)
		cliques = append(cliques, clique)
	}
	slices.SortFunc(cliques, slices.Compare)
	return cliques
}

// cliqueFinder is the Bron-Kerbosch algorithm with a pivot.
type cliqueFinder struct {
	peers []bitset
	found [][]int
}

// extend finds the maximal cliques that hold all of clique, some of open and none
// of done.
func (f *cliqueFinder) extend(clique []int, open, done bitset) {
	if open.empty() {
		if done.empty() && len(clique) > 0 {
			f.found = append(f.found, slices.Clone(clique))
		}
		return
	}
	open.minus(f.peers[f.pivot(open, done)]).each(func(v int) {
		f.extend(append(clique, v), open.and(f.peers[v]), done.and(f.peers[v]))
		open.remove(v)
		done.add(v)
	})
}

// pivot returns the member of either set with the most peers in open: those need
// no branch of their own.
func (f *cliqueFinder) pivot(open, done bitset) int {
	best, most := 0, -1
	try := func(v int) {
		if n := open.and(f.peers[v]).len(); n > most {
			best, most = v, n
		}
	}
	open.each(try)
	done.each(try)
	return best
}

// bitset is a set of small integers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) add(i int)    { b[i/64] |= 1 << (i % 64) }
func (b bitset) remove(i int) { b[i/64] &^= 1 << (i % 64) }

func (b bitset) and(o bitset) bitset {
	r := slices.Clone(b)
	for i := range r {
		r[i] &= o[i]
	}
	return r
}

func (b bitset) minus(o bitset) bitset {
	r := slices.Clone(b)
	for i := range r {
		r[i] &^= o[i]
	}
	return r
}

func (b bitset) len() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

func (b bitset) empty() bool { return b.len() == 0 }

func (b bitset) each(fn func(int)) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			fn(64*i + bits.TrailingZeros64(w))
		}
	}
}
