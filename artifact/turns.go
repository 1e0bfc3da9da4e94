// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"strconv"
	"strings"

	"github.com/hmdsefi/faultline/artifact/page"
)

// maxTurns is the number of turns, the last ones, that a page shows.
const maxTurns = 100_000

// pageTurns reads what a page shows of decisions.txt: who got the token, where it
// had waited, and at how many decisions it then kept it. Whoever follows the log
// reads it with package sched, which checks it; a line that is unknown here is
// left out. It returns nil if there is no turn.
func pageTurns(text string, s *stringTable) *page.Turns {
	var t turnReader
	for line := range strings.Lines(text) {
		t.read(strings.Fields(line))
	}
	if len(t.list) == 0 {
		return nil
	}
	shown := t.list[max(0, len(t.list)-maxTurns):]
	c := &page.Turns{First: t.first, Omitted: len(t.list) - len(shown)}
	for _, turn := range t.list[:c.Omitted] {
		c.First += 1 + turn.stays
	}
	for _, turn := range shown {
		c.Goroutine = append(c.Goroutine, turn.goroutine)
		c.Place = append(c.Place, s.add(turn.place))
		c.Waiting = append(c.Waiting, turn.waiting)
		c.Stays = append(c.Stays, turn.stays)
	}
	return c
}

type turn struct {
	goroutine      uint64
	place          string
	waiting, stays int
}

type turnReader struct {
	places []string
	list   []turn
	first  int // decisions before the first turn
}

// read takes the words of a line. The forms of decisions are "hand-over 5 of 3 at
// 1", "may-yield 4 stays 17" when a goroutine kept the token, and "time-passes 9".
func (t *turnReader) read(words []string) {
	switch {
	case len(words) >= 3 && words[0] == "place":
		t.places = append(t.places, strings.Join(words[2:], " "))
	case len(words) == 6 && words[2] == "of" && words[4] == "at":
		goroutine, err := strconv.ParseUint(words[1], 10, 64)
		waiting, place := number(words[3]), number(words[5])
		if err == nil && place >= 1 && place <= len(t.places) {
			t.list = append(t.list, turn{goroutine: goroutine, place: t.places[place-1], waiting: waiting})
		}
	case len(words) == 4 && words[2] == "stays":
		t.pass(number(words[3]))
	case len(words) == 2 && words[0] == "time-passes":
		t.pass(1)
	}
}

// pass counts decisions at which no other goroutine got the token.
func (t *turnReader) pass(decisions int) {
	if len(t.list) == 0 {
		t.first += decisions
		return
	}
	t.list[len(t.list)-1].stays += decisions
}

// number returns 0 for what is none.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
