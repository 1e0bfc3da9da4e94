// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"slices"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// before notes what it takes to end e, seen from before e is applied; nil if e
// ends something itself or nothing ends it. A fault that replaces another at the
// same target ends in the state from before both.
func (i *Injector) before(by *Control, s *spec, e Event) *ongoing {
	if s.undo == nil || e.Undoes != 0 {
		return nil
	}
	o := &ongoing{event: e, by: by, undo: s.undo(i, &e), links: i.links(&e)}
	for _, earlier := range i.open {
		if sameTarget(&earlier.undo, &o.undo) && o.undo.Kind != KindHeal {
			o.undo = earlier.undo
		}
	}
	o.undo.Undoes = e.ID
	return o
}

// keep remembers a fault that was applied and queues its end.
func (i *Injector) keep(o *ongoing) {
	i.open = append(i.open, o)
	if o.event.For > 0 {
		o.timer = i.at(o.event.At+o.event.For, func() { i.apply(o.by, o.undo) })
	}
}

// close forgets the faults that are over and takes their ends back.
func (i *Injector) close(over func(*ongoing) bool) {
	i.open = slices.DeleteFunc(i.open, func(o *ongoing) bool {
		if !over(o) {
			return false
		}
		i.env.Sim.Cancel(o.timer)
		return true
	})
}

// ended reports whether e, of which s is the spec, ended o.
func ended(o *ongoing, s *spec, e *Event) bool {
	if e.Kind == KindHeal && e.Undoes != 0 {
		return o.event.ID == e.Undoes
	}
	if slices.Contains(s.ends, o.event.Kind) {
		return e.Kind == KindHeal || sameEnds(&o.event, e)
	}
	return o.event.ID == e.Undoes || sameTarget(&o.undo, e)
}

func sameTarget(a, b *Event) bool { return a.Kind == b.Kind && sameEnds(a, b) }

func sameEnds(a, b *Event) bool { return a.Node == b.Node && a.From == b.From && a.To == b.To }

// links returns the directed links that e is about to cut, also those that are
// cut already: it then holds them together with another fault.
func (i *Injector) links(e *Event) []linkID {
	var list []linkID
	both := func(a, b string) {
		list = append(list, linkID{i.id(a), i.id(b)}, linkID{i.id(b), i.id(a)})
	}
	switch e.Kind {
	case KindCut:
		list = append(list, linkID{i.id(e.From), i.id(e.To)})
	case KindIsolate:
		for _, n := range i.env.Sim.Nodes() {
			if n.Name() != e.Node {
				both(e.Node, n.Name())
			}
		}
	case KindPartition:
		for g, group := range e.Groups {
			for _, a := range group {
				for _, other := range e.Groups[g+1:] {
					for _, b := range other {
						both(a, b)
					}
				}
			}
		}
	}
	return list
}

// ownLinks returns the links that only the fault of that id holds cut.
func (i *Injector) ownLinks(id int) []linkID {
	var own []linkID
	shared := map[linkID]bool{}
	for _, o := range i.open {
		if o.event.ID == id {
			own = o.links
			continue
		}
		for _, l := range o.links {
			shared[l] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(own), func(l linkID) bool { return shared[l] })
}

// mend ends, now, all faults that by applied and that are still on, each by an
// event of its own.
func (i *Injector) mend(by *Control) {
	for _, o := range i.open {
		if o.by != by {
			continue
		}
		i.env.Sim.Cancel(o.timer)
		o.timer = i.at(i.now(), func() { i.apply(by, o.undo) })
	}
}

// down returns how many nodes with the tag kernel.TagServer are down or paused.
func (i *Injector) down() int {
	n := 0
	for _, node := range i.env.Sim.Nodes() {
		if node.HasTag(kernel.TagServer) && node.State() != kernel.Up {
			n++
		}
	}
	return n
}
