// SPDX-License-Identifier: MPL-2.0

// Package hashiraft is a replicated map on hashicorp/raft: what a service has to bring so that this library can be
// tested in a simulated world. A stream layer takes the network, a log store and a snapshot store take the file system,
// both from outside; nothing here knows that they are simulated.
//
// The tests run three servers through crashes, partitions and pauses, and check that what clients saw is linearizable.
package hashiraft

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"github.com/hmdsefi/faultline/shims/fsx"
)

// Ports of a server.
const (
	raftPort   = "7000"
	ClientPort = "8000"
)

// Reads says how a server answers Get.
type Reads string

const (
	ReadLog    Reads = ""       // through the log, as a write
	ReadVerify Reads = "verify" // from the leader's map, after a barrier in its term and VerifyLeader
	ReadLocal  Reads = "local"  // from any server's map: a bug
)

// Options are those of a server.
type Options struct {
	ID      string   // its host name
	Servers []string // all servers of the cluster
	Reads   Reads
	NoSync  bool // a bug: the log is not synced

	// InFlight is how many requests for new log entries may be on the way to a server; 0 is raft's default, which is 2.
	// With 1 there is no pipeline.
	InFlight int

	Log      io.Writer                             // of raft
	Tune     func(*raft.Config)                    // may be nil
	OnApply  func(index, term uint64, data []byte) // may be nil; called before a log is applied
	OnLeader func(leads bool)                      // may be nil
}

// Status says what became of a command.
type Status string

const (
	Done    Status = "done"
	Refused Status = "refused" // surely not executed
	Unknown Status = "unknown" // perhaps executed, or yet to be
)

// Response answers a Command.
type Response struct {
	Status Status
	Result Result
	Leader string `json:",omitempty"` // with Refused, if it is known
	Error  string `json:",omitempty"`
}

// Run runs a server until ctx ends.
func Run(ctx context.Context, fsys fsx.FS, network Network, opts Options) error {
	store, err := openStore(fsys, opts.NoSync)
	if err != nil {
		return err
	}
	snaps, err := openSnapshots(fsys)
	if err != nil {
		return err
	}
	ln, err := network.Listen("tcp", ":"+raftPort)
	if err != nil {
		return err
	}
	config := raft.DefaultConfig()
	config.LocalID = raft.ServerID(opts.ID)
	config.Logger = hclog.New(&hclog.LoggerOptions{Name: "raft", Output: opts.Log, DisableTime: true, Level: hclog.Info})
	if opts.Tune != nil {
		opts.Tune(config)
	}
	layer := &stream{Listener: ln, network: network, advertise: address(net.JoinHostPort(opts.ID, raftPort))}
	transport := raft.NewNetworkTransportWithConfig(&raft.NetworkTransportConfig{
		Stream: layer, MaxPool: 3, MaxRPCsInFlight: opts.InFlight, Timeout: 500 * time.Millisecond, Logger: config.Logger,
	})
	defer transport.Close()
	if err := bootstrap(config, store, snaps, transport, opts.Servers); err != nil {
		return err
	}
	s := &server{machine: &machine{values: map[string]string{}}, reads: opts.Reads}
	if opts.OnApply != nil {
		s.machine.onApply = func(l *raft.Log) { opts.OnApply(l.Index, l.Term, l.Data) }
	}
	if s.raft, err = raft.NewRaft(config, s.machine, store, store, snaps, transport); err != nil {
		return err
	}
	defer func() { _ = s.raft.Shutdown().Error() }()
	if opts.OnLeader != nil {
		go s.watch(ctx, opts.OnLeader)
	}
	clients, err := network.Listen("tcp", ":"+ClientPort)
	if err != nil {
		return err
	}
	return s.serve(ctx, clients)
}

// bootstrap gives a new server its first configuration. All servers get the same.
func bootstrap(config *raft.Config, store *store, snaps raft.SnapshotStore, transport raft.Transport, servers []string) error {
	if known, err := raft.HasExistingState(store, store, snaps); err != nil || known {
		return err
	}
	var first raft.Configuration
	for _, id := range servers {
		first.Servers = append(first.Servers, raft.Server{
			ID: raft.ServerID(id), Address: raft.ServerAddress(net.JoinHostPort(id, raftPort)),
		})
	}
	return raft.BootstrapCluster(config, store, store, snaps, transport, first)
}

type server struct {
	raft    *raft.Raft
	machine *machine
	reads   Reads
	barrier atomic.Uint64 // the last term of which it is known that all earlier ones are applied
}

func (s *server) watch(ctx context.Context, fn func(leads bool)) {
	for {
		select {
		case leads := <-s.raft.LeaderCh():
			fn(leads)
		case <-ctx.Done():
			return
		}
	}
}

// serve answers commands, one after the other on each connection.
func (s *server) serve(ctx context.Context, ln net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = ln.Close() })
	defer stop()
	for {
		conn, err := ln.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		go s.converse(ctx, conn)
	}
}

func (s *server) converse(ctx context.Context, conn net.Conn) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	defer conn.Close()
	in, out := json.NewDecoder(conn), json.NewEncoder(conn)
	for {
		var c Command
		if err := in.Decode(&c); err != nil {
			return
		}
		if err := out.Encode(s.execute(c)); err != nil {
			return
		}
	}
}

func (s *server) execute(c Command) Response {
	switch {
	case c.Op == Applied:
		return Response{Status: Done, Result: Result{Value: strconv.FormatUint(s.raft.AppliedIndex(), 10)}}
	case c.Op == Get && s.reads != ReadLog:
		return s.read(c.Key)
	}
	data, err := json.Marshal(c)
	if err != nil {
		return s.fail(err)
	}
	f := s.raft.Apply(data, time.Second)
	if err := f.Error(); err != nil {
		return s.fail(err)
	}
	switch r := f.Response().(type) {
	case Result:
		return Response{Status: Done, Result: r}
	case error:
		return Response{Status: Refused, Error: r.Error()}
	default:
		return Response{Status: Unknown, Error: "the state machine gave no result"}
	}
}

func (s *server) read(key string) Response {
	if s.reads == ReadVerify {
		if err := s.verify(); err != nil {
			return s.fail(err)
		}
	}
	return Response{Status: Done, Result: Result{Value: s.machine.get(key)}}
}

// verify returns nil if all that was committed before it was called is in the map: this server leads, and in its term a
// barrier has passed.
func (s *server) verify() error {
	term := s.raft.CurrentTerm()
	if s.barrier.Load() != term {
		if err := s.raft.Barrier(time.Second).Error(); err != nil {
			return err
		}
		s.barrier.Store(term)
	}
	if err := s.raft.VerifyLeader().Error(); err != nil {
		return err
	}
	if s.raft.CurrentTerm() != term {
		return raft.ErrLeadershipLost
	}
	return nil
}

// refusals are the errors of raft for a command that is not in any log.
var refusals = []error{raft.ErrNotLeader, raft.ErrLeadershipTransferInProgress, raft.ErrEnqueueTimeout}

func (s *server) fail(err error) Response {
	for _, refusal := range refusals {
		if errors.Is(err, refusal) {
			_, leader := s.raft.LeaderWithID()
			return Response{Status: Refused, Leader: string(leader), Error: err.Error()}
		}
	}
	return Response{Status: Unknown, Error: err.Error()}
}
