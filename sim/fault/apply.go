// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// What each kind does. The names in an event have been checked when these run.

var errUnchanged = errors.New("that is the state already")

func (i *Injector) node(name string) *kernel.Node { return i.env.Sim.Node(name) }

func (i *Injector) id(name string) kernel.NodeID { return i.node(name).ID() }

// changed turns the report of an operation into the reason for no effect.
func changed(did bool) error {
	if !did {
		return errUnchanged
	}
	return nil
}

// inState is changed for an operation that the state of a node can forbid.
func inState(n *kernel.Node, did bool) error {
	if !did {
		return fmt.Errorf("%s is %s", n.Name(), n.State())
	}
	return nil
}

func (i *Injector) partition(e *Event) error {
	groups := make([][]kernel.NodeID, len(e.Groups))
	for g, names := range e.Groups {
		for _, name := range names {
			groups[g] = append(groups[g], i.id(name))
		}
	}
	return changed(i.env.Net.Partition(groups...))
}

func (i *Injector) isolate(e *Event) error { return changed(i.env.Net.Isolate(i.id(e.Node))) }

func (i *Injector) cut(e *Event) error { return changed(i.env.Net.Cut(i.id(e.From), i.id(e.To))) }

// healLink ends any cut of the link, or that of one fault unless another fault
// that is still on holds the link.
func (i *Injector) healLink(e *Event) error {
	l := linkID{i.id(e.From), i.id(e.To)}
	if e.Undoes != 0 && !slices.Contains(i.ownLinks(e.Undoes), l) {
		return errors.New("another fault holds the link")
	}
	return changed(i.env.Net.HealLink(l.from, l.to))
}

// heal ends all cuts, or those of one fault as far as no other fault that is
// still on holds them.
func (i *Injector) heal(e *Event) error {
	if e.Undoes == 0 {
		return changed(i.env.Net.Heal())
	}
	own := i.ownLinks(e.Undoes)
	if i.holdAllCuts(own) {
		return changed(i.env.Net.Heal()) // the same effect in one record
	}
	healed := false
	for _, l := range own {
		healed = i.env.Net.HealLink(l.from, l.to) || healed
	}
	return changed(healed)
}

// holdAllCuts reports whether every link that is cut is in links.
func (i *Injector) holdAllCuts(links []linkID) bool {
	held := map[linkID]bool{}
	for _, l := range links {
		held[l] = true
	}
	for _, a := range i.env.Sim.Nodes() {
		for _, b := range i.env.Sim.Nodes() {
			if !held[linkID{a.ID(), b.ID()}] && !i.env.Net.Reach(a.ID(), b.ID()) {
				return false
			}
		}
	}
	return true
}

func (i *Injector) setLink(e *Event) error {
	from, to := i.id(e.From), i.id(e.To)
	if i.env.Net.LinkConfig(from, to) == e.Link {
		return errUnchanged
	}
	return i.env.Net.SetLink(from, to, e.Link)
}

func (i *Injector) resetLink(e *Event) error {
	i.env.Net.ResetLink(i.id(e.From), i.id(e.To))
	return nil
}

func (i *Injector) crash(e *Event) error {
	n := i.node(e.Node)
	return inState(n, n.Crash())
}

func (i *Injector) restart(e *Event) error {
	n := i.node(e.Node)
	return inState(n, n.Restart())
}

func (i *Injector) pause(e *Event) error {
	n := i.node(e.Node)
	return inState(n, n.Pause())
}

func (i *Injector) resume(e *Event) error {
	n := i.node(e.Node)
	return inState(n, n.Resume())
}

func (i *Injector) jumpClock(e *Event) error { return changed(i.node(e.Node).JumpClock(e.By)) }

func (i *Injector) setDrift(e *Event) error { return changed(i.node(e.Node).SetDrift(e.PPM)) }

func (i *Injector) failSyncs(e *Event) error {
	i.env.Disk.Volume(i.node(e.Node)).FailSyncs(e.Count)
	return nil
}

func (i *Injector) setCapacity(e *Event) error {
	i.env.Disk.Volume(i.node(e.Node)).SetCapacity(e.Bytes)
	return nil
}

func (i *Injector) corrupt(e *Event) error {
	return i.env.Disk.Volume(i.node(e.Node)).Corrupt(e.Path, e.Offset, e.Length)
}

func (i *Injector) misdirectWrites(e *Event) error {
	i.env.Disk.Volume(i.node(e.Node)).MisdirectWrites(e.Count)
	return nil
}

func (i *Injector) misdirectReads(e *Event) error {
	i.env.Disk.Volume(i.node(e.Node)).MisdirectReads(e.Count)
	return nil
}

// undoBy returns an undo that names the same target and carries nothing else.
func undoBy(k Kind) func(*Injector, *Event) Event {
	return func(_ *Injector, e *Event) Event {
		undo := Event{Kind: k}
		if s, err := lookup(k); err == nil && s.has(nodeField.name) {
			undo.Node = e.Node
		} else if err == nil && s.has(fromField.name) {
			undo.From, undo.To = e.From, e.To
		}
		return undo
	}
}

// The other undos restore what they find, since a test may have set a value of
// its own before.

func undoLink(i *Injector, e *Event) Event {
	was := i.env.Net.LinkConfig(i.id(e.From), i.id(e.To))
	return Event{Kind: KindLink, From: e.From, To: e.To, Link: was}
}

func undoDrift(i *Injector, e *Event) Event {
	return Event{Kind: KindClockDrift, Node: e.Node, PPM: i.node(e.Node).Drift()}
}

func undoCapacity(i *Injector, e *Event) Event {
	return Event{Kind: KindDiskCapacity, Node: e.Node, Bytes: max(0, i.env.Disk.Volume(i.node(e.Node)).Capacity())}
}
