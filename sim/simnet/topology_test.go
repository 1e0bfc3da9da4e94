// SPDX-License-Identifier: MPL-2.0

package simnet_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simnet"
)

func TestQueries(t *testing.T) {
	tests := []struct {
		name       string
		do         func(nw *simnet.Network)
		components [][]id
		cliques    [][]id
		hubs       []id
	}{
		{"whole", func(*simnet.Network) {},
			[][]id{{1, 2, 3, 4, 5}}, [][]id{{1, 2, 3, 4, 5}}, []id{1, 2, 3, 4, 5}},
		{"two against three", func(nw *simnet.Network) { nw.Partition([]id{1, 4}, []id{2, 3, 5}) },
			[][]id{{1, 4}, {2, 3, 5}}, [][]id{{1, 4}, {2, 3, 5}}, []id{2, 3, 5}},
		{"bridge", func(nw *simnet.Network) { nw.Partition([]id{1, 2}, []id{4, 5}) },
			[][]id{{1, 2, 3, 4, 5}}, [][]id{{1, 2, 3}, {3, 4, 5}}, []id{1, 2, 3, 4, 5}},
		{"one hub", func(nw *simnet.Network) { nw.Partition([]id{1}, []id{2}, []id{4}, []id{5}) },
			[][]id{{1, 2, 3, 4, 5}}, [][]id{{1, 3}, {2, 3}, {3, 4}, {3, 5}}, []id{3}},
		{"shattered", func(nw *simnet.Network) { nw.Partition([]id{1}, []id{2}, []id{3}, []id{4}, []id{5}) },
			[][]id{{1}, {2}, {3}, {4}, {5}}, [][]id{{1}, {2}, {3}, {4}, {5}}, nil},
		{"one-way ring", func(nw *simnet.Network) {
			for a := range id(5) {
				for b := range id(5) {
					if (a+1)%5 != b {
						nw.Cut(a+1, b+1)
					}
				}
			}
		}, [][]id{{1, 2, 3, 4, 5}}, [][]id{{1}, {2}, {3}, {4}, {5}}, nil},
		{"deaf", func(nw *simnet.Network) {
			for a := range id(4) {
				nw.Cut(a+1, 5)
			}
		}, [][]id{{1, 2, 3, 4}, {5}}, [][]id{{1, 2, 3, 4}, {5}}, []id{1, 2, 3, 4}},
		{"healed", func(nw *simnet.Network) {
			nw.Isolate(3)
			nw.Components()
			nw.Heal()
		}, [][]id{{1, 2, 3, 4, 5}}, [][]id{{1, 2, 3, 4, 5}}, []id{1, 2, 3, 4, 5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, nw := world(1, 5, simnet.Config{})
			tt.do(nw)
			if got := nw.Components(); !reflect.DeepEqual(got, tt.components) {
				t.Errorf("components %v, want %v", got, tt.components)
			}
			if got := nw.Cliques(); !reflect.DeepEqual(got, tt.cliques) {
				t.Errorf("cliques %v, want %v", got, tt.cliques)
			}
			if got := nw.QuorumHubs(); !slices.Equal(got, tt.hubs) {
				t.Errorf("quorum hubs %v, want %v", got, tt.hubs)
			}
		})
	}
}

func TestQueriesOfMembers(t *testing.T) {
	_, nw := world(1, 5, simnet.Config{})
	nw.Partition([]id{1, 4, 5}, []id{2, 3})
	if got := nw.QuorumHubs(3, 2, 1, 2, 77); !slices.Equal(got, []id{2, 3}) {
		t.Errorf("quorum hubs of 1, 2, 3: %v", got)
	}
	if got := nw.Cliques(1, 2, 3); !reflect.DeepEqual(got, [][]id{{1}, {2, 3}}) {
		t.Errorf("cliques of 1, 2, 3: %v", got)
	}
	if nw.Connected(1, 2) || !nw.Connected(2, 3) {
		t.Error("Connected does not follow the partition")
	}
}

func TestQueriesWithoutNodes(t *testing.T) {
	nw := simnet.New(kernel.New(kernel.Config{}), simnet.Config{})
	if nw.Components() != nil || len(nw.Cliques()) != 0 || nw.QuorumHubs() != nil {
		t.Error("an empty network has parts")
	}
}

// TestQueriesAgainstDefinition compares the queries with their definitions on
// random networks that change and grow.
func TestQueriesAgainstDefinition(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		n := 2 + r.IntN(8)
		s, nw := world(seed, n, simnet.Config{})
		for range 4 {
			for range r.IntN(n * n) {
				a, b := id(1+r.IntN(n)), id(1+r.IntN(n))
				switch r.IntN(6) {
				case 0:
					nw.HealLink(a, b)
				case 1, 2:
					nw.Partition([]id{a}, []id{b})
				default:
					nw.Cut(a, b)
				}
			}
			checkGraph(t, nw, n)
			checkComponents(t, nw, n)
			checkCliques(t, nw, n)
			if n < 11 && r.IntN(2) == 0 {
				n++
				s.AddNode("late"+string(rune('a'+n)), nil)
			}
		}
	}
}

func checkGraph(t *testing.T, nw *simnet.Network, n int) {
	t.Helper()
	g := nw.Graph()
	for a := id(1); int(a) <= n; a++ {
		for b := id(1); int(b) <= n; b++ {
			has := g.ContainsEdge(g.GetVertexByID(a), g.GetVertexByID(b))
			if a != b && has != nw.Reach(a, b) {
				t.Fatalf("%d to %d: an edge %v, reachable %v", a, b, has, nw.Reach(a, b))
			}
		}
	}
}

// checkComponents compares with the transitive closure.
func checkComponents(t *testing.T, nw *simnet.Network, n int) {
	t.Helper()
	reach := map[[2]id]bool{}
	for a := id(1); int(a) <= n; a++ {
		for b := id(1); int(b) <= n; b++ {
			reach[[2]id{a, b}] = nw.Reach(a, b)
		}
	}
	for k := id(1); int(k) <= n; k++ {
		for a := id(1); int(a) <= n; a++ {
			for b := id(1); int(b) <= n; b++ {
				if reach[[2]id{a, k}] && reach[[2]id{k, b}] {
					reach[[2]id{a, b}] = true
				}
			}
		}
	}
	var want [][]id
	for a := id(1); int(a) <= n; a++ {
		var set []id
		for b := id(1); int(b) <= n; b++ {
			if reach[[2]id{a, b}] && reach[[2]id{b, a}] {
				set = append(set, b)
			}
		}
		if set[0] == a {
			want = append(want, set)
		}
	}
	if got := nw.Components(); !reflect.DeepEqual(got, want) {
		t.Fatalf("components %v, want %v", got, want)
	}
}

// checkCliques compares with all subsets.
func checkCliques(t *testing.T, nw *simnet.Network, n int) {
	t.Helper()
	var cliques []uint
	for set := uint(1); set < 1<<n; set++ {
		if isClique(nw, set, n) {
			cliques = append(cliques, set)
		}
	}
	var want [][]id
	for _, set := range cliques {
		if slices.ContainsFunc(cliques, func(o uint) bool { return o != set && o&set == set }) {
			continue
		}
		var ids []id
		for i := range n {
			if set>>i&1 == 1 {
				ids = append(ids, id(i+1))
			}
		}
		want = append(want, ids)
	}
	slices.SortFunc(want, slices.Compare)
	if got := nw.Cliques(); !reflect.DeepEqual(got, want) {
		t.Fatalf("cliques %v, want %v", got, want)
	}
}

func isClique(nw *simnet.Network, set uint, n int) bool {
	for i := range n {
		for j := range i {
			if set>>i&1 == 1 && set>>j&1 == 1 && !nw.Connected(id(i+1), id(j+1)) {
				return false
			}
		}
	}
	return true
}

func TestCliquesOfManyNodes(t *testing.T) {
	_, nw := world(1, 130, simnet.Config{})
	var odd, even []id
	for i := id(1); i <= 130; i++ {
		if i%2 == 1 {
			odd = append(odd, i)
		} else {
			even = append(even, i)
		}
	}
	nw.Partition(odd, even)
	if got := nw.Cliques(); !reflect.DeepEqual(got, [][]id{odd, even}) {
		t.Errorf("cliques %v", got)
	}
}
