// SPDX-License-Identifier: MPL-2.0

package simnet

import (
	"strconv"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// Reason says why a message was dropped.
type Reason uint8

// The reasons for a drop.
const (
	Partition         Reason = iota // the link was cut when the message was sent
	PartitionInFlight               // the link was cut while the message was on its way
	Loss                            // by the link's DropPPM
	Down                            // the receiver was down, crashed while the message waited, or does not exist
	NoHandler                       // the receiver was up but handles no messages
	Queue                           // more bytes than the link's Queue waited for its Bandwidth
	Corrupt                         // by the link's CorruptPPM, and the payload is no Corrupter
	reasons
)

var reasonNames = [reasons]string{"partition", "partition-in-flight", "loss", "down", "no-handler", "queue", "corrupt"}

// atSender reports whether the message was dropped before it was on its way.
func (r Reason) atSender() bool { return r == Partition || r == Loss || r == Queue || r == Corrupt }

// String returns the name that stands in the trace, such as
// "partition-in-flight".
func (r Reason) String() string {
	if r < reasons {
		return reasonNames[r]
	}
	return "Reason(" + strconv.Itoa(int(r)) + ")"
}

// Stats counts messages. Sent + Duplicated = Delivered + all of Dropped + what is
// still on its way or waits for a paused node.
type Stats struct {
	Sent       uint64
	Delivered  uint64          // copies
	Duplicated uint64          // second copies
	Corrupted  uint64          // copies that were damaged and went on
	Dropped    [reasons]uint64 // copies, by Reason
}

// Lost returns the number of copies dropped for any reason.
func (s Stats) Lost() uint64 {
	var sum uint64
	for _, n := range s.Dropped {
		sum += n
	}
	return sum
}

// Stats returns the counts of all links together, messages of nodes to themselves
// included.
func (nw *Network) Stats() Stats { return nw.stats }

// LinkStats returns the counts of the link between two different nodes.
func (nw *Network) LinkStats(from, to kernel.NodeID) Stats {
	if l := nw.linkOf(from, to); l != nil {
		return l.stats
	}
	return Stats{}
}

// count applies fn to the totals and to the counts of m's link.
func (nw *Network) count(m *message, fn func(*Stats)) {
	fn(&nw.stats)
	if m.link != nil {
		fn(&m.link.stats)
	}
}
