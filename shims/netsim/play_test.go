// SPDX-License-Identifier: MPL-2.0

package netsim_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/netsim"
)

// player does random things to both ends of a connection, one after the other, and writes down what each gave.
type player struct {
	r       *rand.Rand
	pause   time.Duration // lets what one step has sent arrive before the next
	ends    [2]tcpConn
	written [2]int
	script  []string
}

// most is how much is written to one end: less than what any stack buffers, so that no write blocks.
const most = 60_000

func play(n network, seed uint64, pause time.Duration) []string {
	const steps = 25
	p := &player{r: rand.New(rand.NewPCG(seed, 1)), pause: pause}
	s, c, stop := (&probe{network: n}).pair()
	defer stop()
	p.ends = [2]tcpConn{s, c}
	for range steps {
		end := p.r.IntN(2)
		move := moves[p.r.IntN(len(moves))]
		p.script = append(p.script, fmt.Sprintf("end %d: %s", end, move(p, p.ends[end])))
		time.Sleep(pause)
	}
	return p.script
}

// moves are what a player may do, as often as it should be tried.
var moves = []func(p *player, end tcpConn) string{
	(*player).write, (*player).write, (*player).write,
	(*player).read, (*player).read, (*player).read, (*player).read,
	func(_ *player, end tcpConn) string { return "close write: " + class(end.CloseWrite()) },
	func(_ *player, end tcpConn) string { return "close read: " + class(end.CloseRead()) },
	func(p *player, end tcpConn) string { return "linger: " + class(end.SetLinger(p.r.IntN(2)-1)) },
	func(_ *player, end tcpConn) string {
		return "deadline in the past: " + class(end.SetDeadline(time.Unix(1, 0)))
	},
	func(_ *player, end tcpConn) string { return "no deadline: " + class(end.SetDeadline(time.Time{})) },
	func(p *player, end tcpConn) string {
		if p.r.IntN(4) > 0 { // or it would soon be over
			return "nothing"
		}
		return "close: " + class(end.Close())
	},
}

func (p *player) write(end tcpConn) string {
	written := &p.written[slices.Index(p.ends[:], end)]
	n := []int{0, 1, 100, 5000, 20_000}[p.r.IntN(5)]
	if *written+n > most {
		n = 0
	}
	*written += n
	got, err := end.Write(make([]byte, n))
	return fmt.Sprintf("write %d: %d %s", n, got, class(err))
}

func (p *player) read(end tcpConn) string {
	n := []int{0, 1, 100, 5000, 100_000}[p.r.IntN(5)]
	_ = end.SetReadDeadline(time.Now().Add(p.pause))
	got, err := end.Read(make([]byte, n))
	return fmt.Sprintf("read %d: %d %s", n, got, class(err))
}

// Whatever is done to a connection or to sockets, they say what real ones do.
func TestPlaysLikeTheRealNetwork(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the simulated network is modelled on Linux")
	}
	const seeds = 60
	for name, play := range map[string]func(n network, seed uint64, pause time.Duration) []string{"tcp": play, "udp": playPackets} {
		for seed := range uint64(seeds) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				t.Parallel()
				var got []string
				inWorld(t, options{}, func(w *world) {
					w.process("n", func(h *netsim.Host, _ *driver.Proc) { got = play(h, seed, time.Second) })
					w.run(time.Hour)
				})
				want := play(&realNetwork{}, seed, 5*time.Millisecond)
				if !slices.Equal(got, want) { // a busy machine needs longer pauses
					want = play(&realNetwork{}, seed, 200*time.Millisecond)
				}
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("step %d:\nreal:      %s\nsimulated: %s\nbefore: %q", i, want[i], got[i], want[:i])
					}
				}
			})
		}
	}
}
