// SPDX-License-Identifier: MPL-2.0

package hashiraft_test

import (
	"io"

	"github.com/hashicorp/go-msgpack/v2/codec"
	"github.com/hashicorp/raft"
)

// The codec learns each type of message once in a process. Which ones a seed is the first to send differs, so all are learned before any:
// otherwise the second run of such a seed has less to do than the first.
func init() {
	encoder := codec.NewEncoder(io.Discard, &codec.MsgpackHandle{})
	for _, message := range []any{
		&raft.AppendEntriesRequest{Entries: []*raft.Log{{}}}, &raft.AppendEntriesResponse{},
		&raft.RequestVoteRequest{}, &raft.RequestVoteResponse{},
		&raft.RequestPreVoteRequest{}, &raft.RequestPreVoteResponse{},
		&raft.InstallSnapshotRequest{}, &raft.InstallSnapshotResponse{},
		&raft.TimeoutNowRequest{}, &raft.TimeoutNowResponse{},
		&raft.Configuration{Servers: []raft.Server{{}}},
	} {
		if err := encoder.Encode(message); err != nil {
			panic(err)
		}
	}
}
