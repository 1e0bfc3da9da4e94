// SPDX-License-Identifier: MPL-2.0

package redis_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/sched"
	"github.com/hmdsefi/faultline/sim/kernel"
)

const counting = 2 // goroutines of each client

// client is a process that counts in Redis.
type client struct {
	p     *faultline.Process
	book  *ledger
	redis *goredis.Client
}

func newClient(p *faultline.Process, book *ledger, retries int) *client {
	return &client{p, book, goredis.NewClient(&goredis.Options{
		Addr: "redis:6379",
		Dialer: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return p.Net.DialContext(ctx, network, addr)
		},
		PoolSize:     counting,
		MaxRetries:   retries,
		DialTimeout:  time.Second,
		ReadTimeout:  500 * time.Millisecond,
		WriteTimeout: 500 * time.Millisecond,

		MaintNotificationsConfig: maintNotifications(),
	})}
}

// maintNotifications gives the type of the server's address, which go-redis would otherwise look up in the real DNS. It turns the feature
// off in a build without the wrapper: go-redis asks the server while it holds a lock for which others wait, and there no answer comes as
// long as a goroutine waits for a lock.
func maintNotifications() *maintnotifications.Config {
	if sched.Available() {
		return &maintnotifications.Config{Mode: maintnotifications.ModeAuto, EndpointType: maintnotifications.EndpointTypeInternalFQDN}
	}
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}

func (c *client) run(ctx context.Context) error {
	var all sync.WaitGroup
	for i := range counting {
		pause := time.Duration(20+c.p.Rand().IntN(40)) * time.Millisecond
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				c.count(ctx, fmt.Sprintf("%s/%d/%d", c.p.Name(), i, n))
				time.Sleep(pause)
			}
		})
	}
	all.Wait()
	return c.redis.Close()
}

// count does one operation: a command that counts how often it was done, and a transaction that counts and does the same. They are two
// because go-redis tries commands again, and transactions only if they were not sent.
func (c *client) count(ctx context.Context, operation string) {
	var before map[string]int64
	_ = c.p.Do(func() { before = maps.Clone(c.book.last) })
	asked := c.redis.HIncrBy(ctx, "asked", operation, 1)
	var n, done *goredis.IntCmd
	var life *goredis.StringCmd
	_, err := c.redis.TxPipelined(ctx, func(tx goredis.Pipeliner) error {
		n, done, life = tx.Incr(ctx, "n"), tx.HIncrBy(ctx, "done", operation, 1), tx.Get(ctx, "life")
		return nil
	})
	if err != nil {
		c.p.Logf("%s: %v", operation, err)
		return
	}
	times := max(asked.Val(), done.Val())
	_ = c.p.Do(func() { c.book.counted(c.p.Name(), operation, life.Val(), n.Val(), times, before) })
}

// ledger is what the clients have got. It belongs to the simulator.
type ledger struct {
	sim   *kernel.Sim
	last  map[string]int64       // the highest number by life of the server
	by    map[string]string      // the operation by number and life
	at    map[string]kernel.Time // when each client got its last number
	wrong error
}

func newLedger(sim *kernel.Sim) *ledger {
	return &ledger{sim: sim, last: map[string]int64{}, by: map[string]string{}, at: map[string]kernel.Time{}}
}

// counted notes that an operation returned n, and how many times it was done. before is what others had got before it began.
func (l *ledger) counted(client, operation, life string, n, times int64, before map[string]int64) {
	number := fmt.Sprintf("%d of life %s", n, life)
	switch {
	case l.wrong != nil:
	case times != 1:
		l.wrong = fmt.Errorf("%s was done %d times", operation, times)
	case l.by[number] != "":
		l.wrong = fmt.Errorf("%s and %s both got %s", l.by[number], operation, number)
	case n <= before[life]:
		l.wrong = fmt.Errorf("%s got %s after another had got %d", operation, number, before[life])
	}
	l.by[number] = operation
	l.last[life] = max(l.last[life], n)
	l.at[client] = l.sim.Now()
}

// complete wants every client to have counted in the last seconds.
func (l *ledger) complete() error {
	for i := range clients {
		name := fmt.Sprint("c", i+1)
		if at := time.Duration(l.at[name]); at < duration-2*time.Second {
			return fmt.Errorf("%s got its last number at %s", name, at)
		}
	}
	return nil
}
