// SPDX-License-Identifier: MPL-2.0

package sched

import seam "github.com/hmdsefi/faultline/runtime"

// pct is probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic
// Guarantees of Finding Bugs, ASPLOS 2010): every goroutine has a random priority, the highest of those that can run runs, and
// at a few random steps the running one falls below all others. A bug that needs d orderings among n goroutines in k steps is
// found with a probability of at least 1/(n*k^(d-1)).
type pct struct {
	seed    uint64
	step    uint64              // decisions so far
	changes [pctMaxDepth]uint64 // steps at which the running goroutine falls; 0 for none
	// Goroutines that have fallen, and how deep: the later, the lower. A fixed table, since nothing may be allocated in a
	// run; a goroutine whose slot another one takes gets its first priority back.
	fallen [256]struct{ goroutine, rank uint64 }
	ranks  uint64
	length uint64 // of the run, as far as known
	pace   pace
}

// pctMaxDepth bounds the number of change points. Most real bugs need one or two (the paper's section 2).
const pctMaxDepth = 4

// pctMinBits and pctMaxBits bound the length, in powers of two, that a run of unknown length is taken to have. The seed picks it,
// so that each length gets its share of the seeds.
const (
	pctMinBits = 4
	pctMaxBits = 16
)

// pctTurn is how often, in steps, the running goroutine falls once a run has become longer than it was taken to be: it may be polling
// for something that a goroutine with a lower priority would do.
const pctTurn = 64

func (p *pct) Start(seed, length uint64) {
	s := stream(seed ^ 0x706374)
	*p = pct{seed: s.next()}
	p.pace.start(seed)
	if length == 0 {
		length = 1 << (pctMinBits + s.below(pctMaxBits-pctMinBits+1))
	}
	p.length = length
	depth := s.below(pctMaxDepth) + 1
	for i := range p.changes {
		if uint32(i) < depth {
			p.changes[i] = s.next()%length + 1
		}
	}
}

//go:norace
func (p *pct) Next(kind seam.Kind, n uint32) uint32 {
	if kind == seam.TimePasses {
		return p.pace.next(n)
	}
	p.step++
	candidates := n
	if kind != seam.HandOver {
		candidates++
		// A goroutine that yields waits for others: it must not starve them.
		if kind == seam.Yields || p.changesAt(p.step) {
			p.drop(seam.Candidate(n))
		}
	}
	best, highest := uint32(0), p.priority(seam.Candidate(0))
	for i := uint32(1); i < candidates; i++ {
		if priority := p.priority(seam.Candidate(i)); priority > highest {
			best, highest = i, priority
		}
	}
	return best
}

//go:norace
func (p *pct) changesAt(step uint64) bool {
	for i := range p.changes {
		if p.changes[i] == step {
			return true
		}
	}
	return step > p.length && step%pctTurn == 0
}

//go:norace
func (p *pct) drop(goroutine uint64) {
	p.ranks++
	slot := &p.fallen[goroutine%uint64(len(p.fallen))]
	slot.goroutine, slot.rank = goroutine, p.ranks
}

// priority is in the upper half for a goroutine that has not fallen.
//
//go:norace
func (p *pct) priority(goroutine uint64) uint64 {
	if slot := &p.fallen[goroutine%uint64(len(p.fallen))]; slot.rank > 0 && slot.goroutine == goroutine {
		return 1<<63 - slot.rank
	}
	return mix(p.seed^goroutine*0xd1342543de82ef95) | 1<<63
}
