// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/hmdsefi/faultline/sim/history"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// finals are the checks at the end of a run, by the names that a failure reports.
var finals = []struct {
	name  string
	check func(*Cluster) error
}{
	{"progress after the faults", (*Cluster).checkProgress},
	{"replicas agree", (*Cluster).checkAgreement},
	{"acknowledged writes survive", (*Cluster).checkAcks},
	{"log agrees with memory", (*Cluster).checkLogs},
	{"linearizable history", (*Cluster).checkHistory},
}

// checkProgress wants an operation that began and succeeded after the faults, and no
// change of members that raft was to complete by itself left half done.
func (c *Cluster) checkProgress() error {
	if conf := c.audit.members(); joint(conf) && conf.GetAutoLeave() {
		return fmt.Errorf("the cluster is stuck on the way to new members: %s", confText(conf))
	}
	for _, op := range c.world.History.Ops() {
		if op.Status == history.OK && op.Call >= c.recovered() {
			return nil
		}
	}
	return fmt.Errorf("no operation that began after t=%v succeeded", c.recovered())
}

// runningMembers returns the members that run and that the leader, if there is one,
// is connected to.
func (c *Cluster) runningMembers() []*replica {
	leader := c.leader()
	var list []*replica
	for _, s := range c.servers {
		reached := leader == nil || c.world.Net.Connected(leader.node.ID(), s.node.ID())
		if s.replica != nil && s.node.State() == kernel.Up && belongs(c.audit.members(), s.id) && reached {
			list = append(list, s.replica)
		}
	}
	return list
}

// checkAcks wants every write that a client was told of on every member.
func (c *Cluster) checkAcks() error {
	last := map[string]command{} // by client
	for _, put := range c.audit.acks {
		last[put.Client] = put
	}
	for _, client := range c.clients {
		put, ok := last[client.name]
		if !ok {
			continue
		}
		for _, r := range c.runningMembers() {
			if r.machine.Sessions[put.Client] < put.Seq {
				return fmt.Errorf("%s=%s was acknowledged to %s, and %s does not know of it", put.Key, put.Value, put.Client, r.node)
			}
		}
	}
	return nil
}

// checkAgreement wants all members in the same state.
func (c *Cluster) checkAgreement() error {
	members := c.runningMembers()
	if len(members) == 0 {
		return errors.New("no member is running")
	}
	first := members[0]
	for _, r := range members {
		if internal := confText(r.raftMembers()); internal != confText(r.conf) {
			return fmt.Errorf("the members are %q by the log of %s, but %q for its raft", confText(r.conf), r.node, internal)
		}
		if !r.machine.equal(first.machine) {
			return fmt.Errorf("%s is at entry %d with digest %x and %d keys, %s at entry %d with digest %x and %d keys",
				first.node, first.machine.Index, first.machine.Digest, len(first.machine.Values),
				r.node, r.machine.Index, r.machine.Digest, len(r.machine.Values))
		}
	}
	return nil
}

// checkLogs wants the log that a restart would read to be the one in memory.
func (c *Cluster) checkLogs() error {
	for _, s := range c.servers {
		if r := s.replica; r != nil && !r.busy {
			if err := r.checkLog(); err != nil {
				return fmt.Errorf("%s: %w", s.node, err)
			}
		}
	}
	return nil
}

func (r *replica) checkLog() error {
	data, err := r.volume().ReadFile(segmentPath(r.segment.number))
	if err != nil {
		return err
	}
	disk, memory := &journal{}, &r.store.journal
	disk.read(data)
	switch {
	case disk.length != len(data):
		return fmt.Errorf("the log on the disk is damaged at byte %d of %d", disk.length, len(data))
	case !proto.Equal(disk.hard, memory.hard):
		return fmt.Errorf("the disk holds %s, the memory %s", disk.text(), memory.text())
	case disk.base.GetIndex() != memory.base.GetIndex() || len(disk.entries) != len(memory.entries):
		return fmt.Errorf("the disk holds entries %d to %d, the memory %d to %d", disk.base.GetIndex()+1, disk.base.GetIndex()+uint64(len(disk.entries)),
			memory.base.GetIndex()+1, memory.base.GetIndex()+uint64(len(memory.entries)))
	}
	for i, e := range disk.entries {
		if !proto.Equal(e, memory.entries[i]) {
			return fmt.Errorf("entry %d on the disk differs from that in memory", e.GetIndex())
		}
	}
	return nil
}
