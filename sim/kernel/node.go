// SPDX-License-Identifier: MPL-2.0

package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// NodeID identifies a node: 1 for the first that was added, and so on. 0 is no
// node.
type NodeID int32

// State is the state of a node.
type State uint8

// The states of a node.
const (
	Down   State = iota // not booted yet, or crashed
	Up                  // running
	Paused              // running, but standing still: what is due waits for Resume
)

var stateNames = [...]string{Down: "down", Up: "up", Paused: "paused"}

// String returns "down", "up" or "paused".
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "State(" + strconv.Itoa(int(s)) + ")"
}

// Tags that say what a node is for.
const (
	TagServer  = "server"
	TagClient  = "client"
	TagProcess = "process" // runs as goroutines
)

// Node is a simulated machine. What it schedules belongs to its current
// incarnation: a crash drops it, and a restart begins the next incarnation.
type Node struct {
	sim   *Sim
	id    NodeID
	name  string
	tags  []string
	boot  func(*Node)
	inc   int
	state State
	clock clock
	rand  *rand.Rand // of this incarnation; made on first use

	held    []int32 // slots of events that came due while paused, in that order
	overdue int     // held events that a resume has queued again and that have not run
}

// AddNode adds a node. boot sets up an incarnation: it runs at the first boot, at
// virtual time 0 or, once the run has started, now, and again at every restart;
// nil means that there is nothing to set up. The name may hold letters, digits,
// '.', '_' and '-'; AddNode panics if it holds anything else, is empty or in use.
func (s *Sim) AddNode(name string, boot func(*Node), tags ...string) *Node {
	if err := s.checkName(name); err != nil {
		panic(err)
	}
	n := &Node{sim: s, id: NodeID(len(s.nodes) + 1), name: name, tags: slices.Clone(tags), boot: boot}
	s.nodes = append(s.nodes, n)
	s.byName[name] = n
	if s.started {
		s.firstBoot(n)
	}
	return n
}

func (s *Sim) checkName(name string) error {
	if name == "" {
		return fmt.Errorf("kernel: a node needs a name")
	}
	for _, c := range []byte(name) {
		if !nameByte(c) {
			return fmt.Errorf("kernel: node name %q: only letters, digits, '.', '_' and '-' are accepted", name)
		}
	}
	if s.byName[name] != nil {
		return fmt.Errorf("kernel: node name %q is in use", name)
	}
	return nil
}

func nameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-'
}

// Node returns the node of that name, or nil.
func (s *Sim) Node(name string) *Node { return s.byName[name] }

// NodeByID returns the node of that id, or nil.
func (s *Sim) NodeByID(id NodeID) *Node {
	if id < 1 || int(id) > len(s.nodes) {
		return nil
	}
	return s.nodes[id-1]
}

// Nodes returns all nodes in the order in which they were added. The caller must
// not change the slice.
func (s *Sim) Nodes() []*Node { return s.nodes }

// Start queues the first boot of every node, each as an event of its own, in the
// order in which the nodes were added and at the front of the present instant. A
// second call does nothing.
func (s *Sim) Start() {
	if s.started {
		return
	}
	s.started = true
	for _, n := range s.nodes {
		s.firstBoot(n)
	}
}

func (s *Sim) firstBoot(n *Node) {
	s.AtFront(s.now, func() { n.up(KindBoot) })
}

// up begins the next incarnation.
func (n *Node) up(kind Kind) {
	defer n.sim.SetCause(n.sim.Cause())
	n.inc++
	n.state = Up
	n.rand = nil
	n.sim.Begin(n, kind, n.name)
	if kind == KindRestart {
		n.each(n.sim.hooks.restart)
	}
	n.each(n.sim.hooks.boot)
	if n.boot != nil {
		n.boot(n)
	}
}

// ID returns the node's id.
func (n *Node) ID() NodeID { return n.id }

// Name returns the node's name.
func (n *Node) Name() string { return n.name }

// Inc returns the number of the current or, if the node is down, the last
// incarnation: 1 from the first boot, 0 before it.
func (n *Node) Inc() int { return n.inc }

// State returns whether the node is up, down or paused.
func (n *Node) State() State { return n.state }

// Tags returns the node's tags. The caller must not change the slice.
func (n *Node) Tags() []string { return n.tags }

// HasTag reports whether the node has that tag.
func (n *Node) HasTag(tag string) bool { return slices.Contains(n.tags, tag) }

// Sim returns the run that the node belongs to.
func (n *Node) Sim() *Sim { return n.sim }

// String returns the node's name.
func (n *Node) String() string { return n.name }

// Rand returns the random stream of the current incarnation,
// node/<name>/<incarnation>.
func (n *Node) Rand() *rand.Rand {
	if n.rand == nil {
		n.rand = n.sim.Rand("node/" + n.name + "/" + strconv.Itoa(n.inc))
	}
	return n.rand
}

// Logf adds a log record to the trace.
func (n *Node) Logf(format string, args ...any) {
	n.sim.Emit(n, KindLog, fmt.Sprintf(format, args...))
}

// After schedules fn for when the node's local clock has advanced by d at its
// present rate. The firing is recorded. The timer is dropped if the node crashes
// first, and waits in order while it is paused. On a node that is down After does
// nothing and returns the zero Timer.
func (n *Node) After(d time.Duration, fn func()) Timer {
	return n.schedule(n.clock.toGlobal(d), event{fn: fn, fires: true})
}

// Post schedules fn for the present instant, under the same rules as After but
// without a record.
func (n *Node) Post(fn func()) Timer {
	return n.schedule(0, event{fn: fn})
}

func (n *Node) schedule(d time.Duration, e event) Timer {
	if n.state == Down {
		return Timer{}
	}
	e.node = n
	return n.sim.schedule(n.sim.now.Add(d), n.sim.drawRank(), e)
}

// Cancel is [Sim.Cancel].
func (n *Node) Cancel(t Timer) bool { return n.sim.Cancel(t) }

// Do runs fn at once if the node is up in incarnation inc. While the node is
// paused, or has not caught up since, fn waits in order; if that incarnation is
// gone, or goes while fn waits, fn is dropped.
func (n *Node) Do(inc int, fn func()) {
	s := n.sim
	switch {
	case inc != n.inc || n.state == Down:
	case n.state == Paused:
		n.park(s.queue.alloc(event{fn: fn, node: n, cause: s.trace.cause}).slot)
	case n.overdue > 0:
		n.overdue++
		s.schedule(s.now, 0, event{fn: fn, node: n})
	default:
		fn()
	}
}
