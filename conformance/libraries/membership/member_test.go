// SPDX-License-Identifier: MPL-2.0

package membership_test

import (
	"context"
	"log"
	"net"
	"strings"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/conformance/libraries/membership"
)

const port = 7946

// member is a process of the cluster as a user of memberlist writes it.
type member struct {
	p        *faultline.Process
	names    []string // of all members
	joinOnce bool     // a bug: it joins when it boots and never again
	list     *memberlist.Memberlist
}

// config is what memberlist recommends for a local network, with everything on that is off by default and draws random values.
func (m *member) config(events chan<- memberlist.NodeEvent) (*memberlist.Config, error) {
	transport, err := membership.NewTransport(m.p.Net, port)
	if err != nil {
		return nil, err
	}
	c := memberlist.DefaultLANConfig()
	c.Name = m.p.Name()
	c.Transport = transport
	c.Events = &memberlist.ChannelEventDelegate{Ch: events}
	c.Logger = log.New(trace{m.p}, "", 0)
	c.SecretKey = []byte("0123456789abcdef")
	c.Label = "faultline"
	return c, nil
}

// trace is the process's log as an io.Writer.
type trace struct{ p *faultline.Process }

func (t trace) Write(b []byte) (int, error) {
	t.p.Logf("%s", strings.TrimSuffix(string(b), "\n"))
	return len(b), nil
}

// run is a member from boot to crash. It joins whom it does not see, every few seconds: memberlist forgets the dead and
// leaves the repair of a partition to its user.
func (m *member) run(ctx context.Context, seen *views) error {
	events := make(chan memberlist.NodeEvent, 64) // memberlist holds a lock while it sends
	config, err := m.config(events)
	if err != nil {
		return err
	}
	if m.list, err = memberlist.Create(config); err != nil {
		return err
	}
	defer m.list.Shutdown()
	go m.report(ctx, events, seen)
	for first := true; ctx.Err() == nil; first = false {
		if first || !m.joinOnce {
			m.join(ctx)
		}
		sleep(ctx, time.Duration(4+m.p.Rand().IntN(3))*time.Second)
	}
	return nil
}

// report notes what memberlist says about the others: each event, and every second the whole list.
func (m *member) report(ctx context.Context, events <-chan memberlist.NodeEvent, seen *views) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case e := <-events:
			_ = m.p.Do(func() { seen.event(m.p.Name(), e.Node.Name, e.Event) })
		case <-tick.C:
			members := m.members()
			_ = m.p.Do(func() { seen.list(m.p.Name(), members) })
		case <-ctx.Done():
			return
		}
	}
}

// join gives memberlist addresses, since it would look up a name at the real DNS.
func (m *member) join(ctx context.Context) {
	seen := map[string]bool{}
	for _, name := range m.members() {
		seen[name] = true
	}
	for _, name := range m.names {
		if seen[name] || ctx.Err() != nil {
			continue
		}
		if addrs, err := m.p.Net.LookupHost(ctx, name); err == nil {
			_, _ = m.list.Join([]string{name + "/" + net.JoinHostPort(addrs[0], "7946")})
		}
	}
}

func (m *member) members() []string {
	var names []string
	for _, n := range m.list.Members() {
		names = append(names, n.Name)
	}
	return names
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
