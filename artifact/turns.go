// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"github.com/hmdsefi/faultline/artifact/page"
	"github.com/hmdsefi/faultline/sched/decisions"
)

// maxTurns is the number of turns, the last ones, that a page shows.
const maxTurns = 100_000

// pageTurns returns what a page shows of a log: who got the token, where it had waited, and at how many decisions it then
// kept it. It returns nil if there is no turn.
func pageTurns(log *decisions.Log, s *stringTable) *page.Turns {
	if log == nil {
		return nil
	}
	list, first := turns(log)
	if len(list) == 0 {
		return nil
	}
	shown := list[max(0, len(list)-maxTurns):]
	c := &page.Turns{First: first, Omitted: len(list) - len(shown)}
	for _, t := range list[:c.Omitted] {
		c.First += 1 + t.stays
	}
	for _, t := range shown {
		c.Goroutine = append(c.Goroutine, t.Goroutine)
		c.Place = append(c.Place, s.add(t.Place))
		c.Waiting = append(c.Waiting, int(t.Waiting))
		c.Stays = append(c.Stays, t.stays)
	}
	return c
}

// turn is a decision that moved the token, and how many then did not.
type turn struct {
	*decisions.Decision
	stays int
}

// turns returns the turns of a log and the number of decisions before the first.
func turns(log *decisions.Log) (list []turn, first int) {
	for i := range log.Decisions {
		d := &log.Decisions[i]
		switch {
		case !d.Stays():
			list = append(list, turn{Decision: d})
		case len(list) == 0:
			first++
		default:
			list[len(list)-1].stays++
		}
	}
	return list, first
}
