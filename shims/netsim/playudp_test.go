// SPDX-License-Identifier: MPL-2.0

package netsim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"time"
)

// packetPlayer is a player with three sockets: two that are not connected, and one that is connected to the first.
type packetPlayer struct {
	r       *rand.Rand
	pause   time.Duration
	sockets [3]net.PacketConn
	addrs   [3]net.Addr
	last    int // the one that is connected
}

func playPackets(n network, seed uint64, pause time.Duration) (script []string) {
	const steps = 25
	p := &packetPlayer{r: rand.New(rand.NewPCG(seed, 2)), pause: pause, last: 2}
	for i := range p.sockets {
		var err error
		if i < p.last {
			p.sockets[i], err = n.ListenPacket("udp", "127.0.0.1:0")
		} else {
			var c net.Conn
			c, err = n.DialContext(context.Background(), "udp", p.addrs[0].String())
			p.sockets[i] = c.(net.PacketConn)
		}
		if err != nil {
			panic(err)
		}
		defer p.sockets[i].Close()
		p.addrs[i] = p.sockets[i].LocalAddr()
	}
	for range steps {
		i := p.r.IntN(len(p.sockets))
		script = append(script, fmt.Sprintf("socket %d: %s", i, p.move(i)))
		time.Sleep(pause)
	}
	return script
}

func (p *packetPlayer) move(i int) string {
	s := p.sockets[i]
	switch k := p.r.IntN(16); {
	case k < 4:
		to := p.r.IntN(len(p.addrs))
		b := p.payload()
		n, err := s.WriteTo(b, p.addrs[to])
		return fmt.Sprintf("write %d to %d: %d %s", len(b), to, n, class(err))
	case k < 7:
		b := p.payload()
		n, err := s.(net.Conn).Write(b)
		return fmt.Sprintf("write %d: %d %s", len(b), n, class(err))
	case k < 13:
		_ = s.SetReadDeadline(time.Now().Add(p.pause))
		b := make([]byte, []int{0, 1, 50, 70_000}[p.r.IntN(4)])
		n, from, err := s.ReadFrom(b)
		return fmt.Sprintf("read into %d: %d from %d %s", len(b), n, p.whose(from), class(err))
	case k < 14:
		return "deadline in the past: " + class(s.SetDeadline(time.Unix(1, 0)))
	case k < 15:
		return "no deadline: " + class(s.SetDeadline(time.Time{}))
	}
	if p.r.IntN(3) > 0 {
		return "nothing"
	}
	return "close: " + class(s.Close())
}

func (p *packetPlayer) payload() []byte {
	return make([]byte, []int{0, 1, 100, 20_000, 65_507, 65_508}[p.r.IntN(6)])
}

// whose returns the number of the socket with that address, or -1.
func (p *packetPlayer) whose(a net.Addr) int {
	for i, own := range p.addrs {
		if a != nil && a.String() == own.String() {
			return i
		}
	}
	return -1
}
