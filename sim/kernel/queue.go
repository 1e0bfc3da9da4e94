// SPDX-License-Identifier: MPL-2.0

package kernel

// Timer names a scheduled event, so that it can be cancelled. The zero Timer
// names none.
type Timer struct {
	id   uint64
	slot int32
}

// event is what runs. Events live in the slots of a queue and are used again.
type event struct {
	fn    func()
	node  *Node // the event dies when this node crashes; nil for an event of the run
	cause uint64
	id    uint64 // unique in the run; 0 in a free slot
	pos   int32  // index in the heap, or parked
	fires bool   // record a firing timer
}

// parked is the heap index of an event that is waiting for its paused node.
const parked = -1

// entry is an event's place in the order. The keys stand in the heap itself, so
// that sifting touches no slot but to store its new index.
type entry struct {
	at   Time
	rank uint64 // 0: at the front of its instant; else drawn
	seq  uint64 // order among equals
	slot int32
}

func (e *entry) before(o *entry) bool {
	if e.at != o.at {
		return e.at < o.at
	}
	if e.rank != o.rank {
		return e.rank < o.rank
	}
	return e.seq < o.seq
}

// queue is a 4-ary heap of entries over pooled events.
type queue struct {
	heap   []entry
	slots  []event
	free   []int32
	lastID uint64
	seq    uint64
}

// alloc puts e into a slot and returns the handle.
func (q *queue) alloc(e event) Timer {
	q.lastID++
	e.id = q.lastID
	if n := len(q.free); n > 0 {
		slot := q.free[n-1]
		q.free = q.free[:n-1]
		q.slots[slot] = e
		return Timer{id: e.id, slot: slot}
	}
	q.slots = append(q.slots, e)
	return Timer{id: e.id, slot: int32(len(q.slots) - 1)}
}

// release empties a slot.
func (q *queue) release(slot int32) {
	q.slots[slot] = event{}
	q.free = append(q.free, slot)
}

// lookup returns the event that t names, or nil if it has run or was cancelled.
func (q *queue) lookup(t Timer) *event {
	if t.id == 0 || int(t.slot) >= len(q.slots) || q.slots[t.slot].id != t.id {
		return nil
	}
	return &q.slots[t.slot]
}

// push queues the event in slot.
func (q *queue) push(at Time, rank uint64, slot int32) {
	q.seq++
	q.heap = append(q.heap, entry{})
	q.up(len(q.heap)-1, entry{at: at, rank: rank, seq: q.seq, slot: slot})
}

// pop takes the first entry out. The heap must not be empty.
func (q *queue) pop() entry {
	e := q.heap[0]
	q.removeAt(0)
	return e
}

// removeAt takes the entry with index i out.
func (q *queue) removeAt(i int) {
	last := len(q.heap) - 1
	e := q.heap[last]
	q.heap = q.heap[:last]
	if i == last {
		return
	}
	if i > 0 && e.before(&q.heap[(i-1)/4]) {
		q.up(i, e)
	} else {
		q.down(i, e)
	}
}

// dropNode takes every queued event of n out. A crash is rare, so it pays with a
// pass over the queue for what would otherwise burden each timer.
func (q *queue) dropNode(n *Node) {
	kept := q.heap[:0]
	for _, e := range q.heap {
		if q.slots[e.slot].node == n {
			q.release(e.slot)
		} else {
			kept = append(kept, e)
		}
	}
	if len(kept) == len(q.heap) {
		return
	}
	q.heap = kept
	for i := range kept {
		q.slots[kept[i].slot].pos = int32(i)
	}
	for i := (len(kept)+2)/4 - 1; i >= 0; i-- { // all that have a child
		q.down(i, kept[i])
	}
}

func (q *queue) set(i int, e entry) {
	q.heap[i] = e
	q.slots[e.slot].pos = int32(i)
}

// up moves e, whose place is i, towards the root.
func (q *queue) up(i int, e entry) {
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&q.heap[parent]) {
			break
		}
		q.set(i, q.heap[parent])
		i = parent
	}
	q.set(i, e)
}

// down moves e, whose place is i, towards the leaves.
func (q *queue) down(i int, e entry) {
	n := len(q.heap)
	for first := 4*i + 1; first < n; first = 4*i + 1 {
		least := first
		for c := first + 1; c < min(first+4, n); c++ {
			if q.heap[c].before(&q.heap[least]) {
				least = c
			}
		}
		if !q.heap[least].before(&e) {
			break
		}
		q.set(i, q.heap[least])
		i = least
	}
	q.set(i, e)
}
