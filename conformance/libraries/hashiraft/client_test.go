// SPDX-License-Identifier: MPL-2.0

package hashiraft_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/conformance/libraries/hashiraft"
	"github.com/hmdsefi/faultline/sim/history"
)

const (
	keys  = 2 // that clients work on at a time
	epoch = 3 * time.Second
)

// habits are what a client is like.
type habits struct {
	only     hashiraft.Op  // it does nothing else; empty means everything
	loyal    bool          // it asks one server, whatever that says
	patience time.Duration // with one operation; 0 means a second
}

// client does one operation after the other and records each in the history.
type client struct {
	w      *faultline.World
	p      *faultline.Process
	ledger *ledger
	habits
	servers []string
	server  int // that it asks next
	conn    net.Conn
	writes  int
	last    map[string]string // the value by key that this client saw last
}

// run works until the faults are over, then goes on until the cluster has answered once more.
func (c *client) run(ctx context.Context) error {
	c.last = map[string]string{}
	defer c.hangUp()
	for start := time.Now(); time.Since(start) < working; {
		if _, err := c.do(ctx, c.choose(time.Since(start))); err != nil {
			return err
		}
		time.Sleep(time.Duration(c.p.Rand().IntN(40)) * time.Millisecond)
	}
	for ctx.Err() == nil && !c.loyal {
		switch done, err := c.do(ctx, c.choose(duration)); {
		case err != nil:
			return err
		case done:
			return c.p.Do(func() { c.ledger.served++ })
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}

// observe asks each server how far it is, at the end of the run.
func (c *client) observe(ctx context.Context) error {
	time.Sleep(duration - time.Second)
	for i, server := range c.servers {
		c.server = i
		if r := c.ask(ctx, hashiraft.Command{Op: hashiraft.Applied}); r.Status == hashiraft.Done {
			if err := c.p.Do(func() { c.ledger.reached[server] = r.Result.Value }); err != nil {
				return err
			}
		}
		c.hangUp()
	}
	return nil
}

// choose takes one of the keys of the present epoch: a checker has an easier time with many short histories.
func (c *client) choose(at time.Duration) hashiraft.Command {
	rand := c.p.Rand()
	key := fmt.Sprintf("k%d.%d", at/epoch, rand.IntN(keys))
	op := c.only
	if op == "" {
		op = []hashiraft.Op{hashiraft.Get, hashiraft.Get, hashiraft.Put, hashiraft.CAS}[rand.IntN(4)]
	}
	switch op {
	case hashiraft.Put:
		return hashiraft.Command{Op: op, Key: key, Value: c.value()}
	case hashiraft.CAS:
		return hashiraft.Command{Op: op, Key: key, Value: c.value(), Old: c.last[key]}
	default:
		return hashiraft.Command{Op: op, Key: key}
	}
}

// value returns one that nobody else writes.
func (c *client) value() string {
	c.writes++
	return fmt.Sprintf("%s.%d", c.p.Name(), c.writes)
}

// do does one operation at one server and reports whether it was done.
func (c *client) do(ctx context.Context, command hashiraft.Command) (done bool, err error) {
	var id int
	if err := c.p.Do(func() { id = c.w.History.Invoke(c.p.Name(), string(command.Op), command) }); err != nil {
		return false, ignoreEnd(ctx, err)
	}
	r := c.ask(ctx, command)
	err = c.p.Do(func() {
		switch r.Status {
		case hashiraft.Done:
			c.w.History.Complete(id, history.OK, r.Result)
		case hashiraft.Refused:
			c.w.History.Complete(id, history.Fail, nil)
		case hashiraft.Unknown:
			c.w.History.Complete(id, history.Info, nil)
		}
	})
	if r.Status == hashiraft.Done {
		c.last[command.Key] = r.Result.Value
		if command.Op == hashiraft.Put || r.Result.Swapped {
			c.last[command.Key] = command.Value
		}
	}
	return r.Status == hashiraft.Done, ignoreEnd(ctx, err)
}

// ignoreEnd returns nil once the run is over.
func ignoreEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// ask sends the command to a server. A command that was not sent is refused; one that was not answered is unknown.
func (c *client) ask(ctx context.Context, command hashiraft.Command) hashiraft.Response {
	if c.conn == nil {
		ctx, cancel := context.WithTimeout(ctx, c.limit())
		defer cancel()
		conn, err := c.p.Net.DialContext(ctx, "tcp", net.JoinHostPort(c.servers[c.server], hashiraft.ClientPort))
		if err != nil {
			c.turnTo("")
			return hashiraft.Response{Status: hashiraft.Refused, Error: err.Error()}
		}
		c.conn = conn
	}
	r, err := c.exchange(command)
	if err != nil {
		c.turnTo("")
		return hashiraft.Response{Status: hashiraft.Unknown, Error: err.Error()}
	}
	if r.Status != hashiraft.Done {
		c.turnTo(r.Leader)
	}
	return r
}

func (c *client) exchange(command hashiraft.Command) (r hashiraft.Response, err error) {
	if err := c.conn.SetDeadline(time.Now().Add(c.limit())); err != nil {
		return r, err
	}
	if err := json.NewEncoder(c.conn).Encode(command); err != nil {
		return r, err
	}
	return r, json.NewDecoder(c.conn).Decode(&r)
}

// turnTo makes the client ask another server: the one that was named, or else the next.
func (c *client) turnTo(name string) {
	c.hangUp()
	if c.loyal {
		return
	}
	c.server = (c.server + 1) % len(c.servers)
	for i, server := range c.servers {
		if server == name {
			c.server = i
		}
	}
}

// limit is the time that the client waits for one answer.
func (c *client) limit() time.Duration { return cmp.Or(c.patience, time.Second) }

func (c *client) hangUp() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}
