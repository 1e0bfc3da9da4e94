// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simnet"
)

// choice says how Random makes a fault of one kind: the target and the values,
// and what Rule.Magnitude can be.
type choice struct {
	fault func(*generator) (Event, bool)
	usual int64 // Magnitude when the rule has none
	most  int64
}

var choices = map[Kind]choice{
	KindPartition:    {fault: choosePartition},
	KindIsolate:      {fault: chooseIsolate},
	KindCut:          {fault: chooseCut},
	KindLink:         {chooseLink, 100_000, 1_000_000},
	KindCrash:        {fault: chooseUp},
	KindPause:        {fault: chooseUp},
	KindClockJump:    {chooseJump, int64(time.Second), math.MaxInt64 / 4},
	KindClockDrift:   {chooseDrift, 10_000, kernel.MaxDrift},
	KindSyncFail:     {chooseCount, 1, maxCount},
	KindDiskCapacity: {chooseCapacity, 4096, math.MaxInt64 / 4},
	KindCorrupt:      {chooseCorrupt, 1, maxCorrupt},

	KindMisdirectWrite: {chooseMisdirectWrite, 1, maxCount},
	KindMisdirectRead:  {chooseCount, 1, maxCount},
}

// ruleKinds returns the kinds that a rule can have.
func ruleKinds() []Kind {
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { _, ok := choices[k]; return !ok })
}

// pick draws one of list.
func pick[T any](r *rand.Rand, list []T) (one T, ok bool) {
	if len(list) == 0 {
		return one, false
	}
	return list[kernel.Uniform(r, 0, int64(len(list)-1))], true
}

// nodes returns the nodes that the rule can hit and that suit.
func (g *generator) nodes(suits func(*kernel.Node) bool) []*kernel.Node {
	return slices.DeleteFunc(g.control.Nodes(g.Role), func(n *kernel.Node) bool { return !suits(n) })
}

func anyNode(*kernel.Node) bool { return true }

// onNode draws a node that suits.
func (g *generator) onNode(suits func(*kernel.Node) bool) (*kernel.Node, Event, bool) {
	n, ok := pick(g.rand, g.nodes(suits))
	if !ok {
		return nil, Event{}, false
	}
	return n, Event{Node: n.Name()}, true
}

// chooseUp draws a running node, a server only while MaxDown allows it.
func chooseUp(g *generator) (Event, bool) {
	full := g.control.Down() >= g.maxDown
	_, e, ok := g.onNode(func(n *kernel.Node) bool {
		return n.State() == kernel.Up && !(full && n.HasTag(kernel.TagServer))
	})
	return e, ok
}

// choosePartition splits the nodes in two, unless they are split.
func choosePartition(g *generator) (Event, bool) {
	nodes := g.control.Nodes(g.Role)
	if len(nodes) < 2 || g.control.Ongoing(KindPartition) {
		return Event{}, false
	}
	shuffle(g.rand, nodes)
	size := kernel.Uniform(g.rand, 1, int64(len(nodes)-1))
	return Event{Groups: [][]string{names(nodes[:size]), names(nodes[size:])}}, true
}

// shuffle is kernel-only arithmetic, as the shuffle of math/rand may change with
// the Go release.
func shuffle[T any](r *rand.Rand, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := kernel.Uniform(r, 0, int64(i))
		list[i], list[j] = list[j], list[i]
	}
}

func names(nodes []*kernel.Node) []string {
	list := make([]string, len(nodes))
	for i, n := range nodes {
		list[i] = n.Name()
	}
	slices.Sort(list)
	return list
}

// chooseIsolate draws a node that still reaches another.
func chooseIsolate(g *generator) (Event, bool) {
	env := g.control.Env()
	_, e, ok := g.onNode(func(n *kernel.Node) bool {
		return slices.ContainsFunc(env.Sim.Nodes(), func(other *kernel.Node) bool {
			return other != n && env.Net.Reach(n.ID(), other.ID())
		})
	})
	return e, ok
}

func chooseCut(g *generator) (Event, bool) {
	env := g.control.Env()
	return g.link(func(from, to *kernel.Node) bool { return env.Net.Reach(from.ID(), to.ID()) })
}

// link draws an ordered pair of different nodes that suits.
func (g *generator) link(suits func(from, to *kernel.Node) bool) (Event, bool) {
	var pairs []Event
	nodes := g.control.Nodes(g.Role)
	for _, from := range nodes {
		for _, to := range nodes {
			if from != to && suits(from, to) {
				pairs = append(pairs, Event{From: from.Name(), To: to.Name()})
			}
		}
	}
	return pick(g.rand, pairs)
}

func chooseLink(g *generator) (Event, bool) {
	e, ok := g.link(func(_, _ *kernel.Node) bool { return true })
	if !ok {
		return e, false
	}
	env := g.control.Env()
	e.Link = g.Rule.Link
	if e.Link == (simnet.LinkConfig{}) {
		e.Link = worse(env.Net.LinkConfig(env.Sim.Node(e.From).ID(), env.Sim.Node(e.To).ID()), g.worst())
	}
	return e, e.Link.Validate() == nil
}

func worse(c simnet.LinkConfig, drop int64) simnet.LinkConfig {
	c.Latency *= 10
	c.Jitter *= 10
	c.DropPPM = max(c.DropPPM, drop)
	return c
}

func chooseJump(g *generator) (Event, bool) {
	_, e, ok := g.onNode(anyNode)
	e.By = time.Duration(g.signed())
	return e, ok
}

func chooseDrift(g *generator) (Event, bool) {
	_, e, ok := g.onNode(anyNode)
	e.PPM = g.signed()
	return e, ok
}

// signed draws a magnitude in one direction or the other.
func (g *generator) signed() int64 {
	if v := g.magnitude(); kernel.Chance(g.rand, 500_000) {
		return v
	} else {
		return -v
	}
}

func chooseCount(g *generator) (Event, bool) { return g.counted(anyNode) }

func chooseMisdirectWrite(g *generator) (Event, bool) { return g.counted(g.damageable()) }

func (g *generator) counted(suits func(*kernel.Node) bool) (Event, bool) {
	_, e, ok := g.onNode(suits)
	e.Count = int(g.magnitude())
	return e, ok
}

// damageable returns a filter of nodes whose volumes may be damaged: a server only
// if it is already, or while MaxDamaged allows one more.
func (g *generator) damageable() func(*kernel.Node) bool {
	full := g.control.Suspect() >= g.suspect
	return func(n *kernel.Node) bool {
		return !full || !n.HasTag(kernel.TagServer) || g.control.Env().Disk.Volume(n).Suspect()
	}
}

// chooseCapacity leaves a volume alone that has less room already.
func chooseCapacity(g *generator) (Event, bool) {
	n, e, ok := g.onNode(anyNode)
	if !ok {
		return e, false
	}
	v := g.control.Env().Disk.Volume(n)
	e.Bytes = v.Usage() + g.magnitude()
	return e, v.Capacity() <= 0 || e.Bytes < v.Capacity()
}

// chooseCorrupt draws a place in a file that has content.
func chooseCorrupt(g *generator) (Event, bool) {
	n, e, ok := g.onNode(g.damageable())
	if !ok {
		return e, false
	}
	v := g.control.Env().Disk.Volume(n)
	size := func(path string) int64 { // 0 for what has none
		info, err := v.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	paths := slices.DeleteFunc(v.Files(), func(path string) bool { return size(path) == 0 })
	if e.Path, ok = pick(g.rand, paths); !ok {
		return e, false
	}
	e.Offset = kernel.Uniform(g.rand, 0, size(e.Path)-1)
	e.Length = min(g.magnitude(), size(e.Path)-e.Offset)
	return e, true
}
