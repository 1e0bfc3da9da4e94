// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	pb "go.etcd.io/raft/v3/raftpb"
)

// votes reports whether id has a vote in a configuration, which it has in a joint
// one as a voter of either half.
func votes(c *pb.ConfState, id uint64) bool {
	return slices.Contains(c.GetVoters(), id) || slices.Contains(c.GetVotersOutgoing(), id)
}

// learns reports whether id is a learner that has no vote.
func learns(c *pb.ConfState, id uint64) bool { return slices.Contains(c.GetLearners(), id) }

// belongs reports whether id has any part in a configuration.
func belongs(c *pb.ConfState, id uint64) bool {
	return votes(c, id) || learns(c, id) || slices.Contains(c.GetLearnersNext(), id)
}

// joint reports whether c is on the way from one configuration to the next.
func joint(c *pb.ConfState) bool { return len(c.GetVotersOutgoing()) > 0 }

// raftMembers returns the configuration that raft works with.
func (r *replica) raftMembers() *pb.ConfState {
	c := r.raw.Status().Config
	ids := func(set map[uint64]struct{}) []uint64 { return slices.Sorted(maps.Keys(set)) }
	return &pb.ConfState{
		Voters:         ids(c.Voters[0]),
		VotersOutgoing: ids(c.Voters[1]),
		Learners:       ids(c.Learners),
		LearnersNext:   ids(c.LearnersNext),
		AutoLeave:      &c.AutoLeave,
	}
}

// confText describes a configuration, such as "1 2 3 / 1 2 4 learners 5 next 3".
// Equal texts mean equal configurations.
func confText(c *pb.ConfState) string {
	var b strings.Builder
	for _, part := range []struct {
		name string
		ids  []uint64
	}{{"", c.GetVoters()}, {" / ", c.GetVotersOutgoing()}, {" learners ", c.GetLearners()}, {" next ", c.GetLearnersNext()}} {
		if len(part.ids) == 0 {
			continue
		}
		ids := slices.Sorted(slices.Values(part.ids))
		b.WriteString(part.name)
		for i, id := range ids {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(strconv.FormatUint(id, 10))
		}
	}
	if c.GetAutoLeave() {
		b.WriteString(" auto")
	}
	return b.String()
}

// majority reports whether most of ids suit; of no ids it is.
func majority(ids []uint64, suits func(uint64) bool) bool {
	n := 0
	for _, id := range ids {
		if suits(id) {
			n++
		}
	}
	return n > len(ids)/2 || len(ids) == 0
}
