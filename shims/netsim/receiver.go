// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"io"
	"os"
	"slices"
)

// early is a run of bytes that came before the bytes in front of it.
type early struct {
	seq  uint64
	data []byte
}

// receiver is the incoming half of a connection.
type receiver struct {
	rc       *conn
	irs      uint64   // the peer's SYN
	rcvNxt   uint64   // next number in order
	rcvEdge  uint64   // end of the window that the peer knows; it never moves back
	ready    [][]byte // in order, to be read
	buffered int      // bytes in ready
	ahead    []early  // out of order, by seq
	finAt    uint64   // number of the peer's FIN; 0: not seen
	rcvFin   bool     // everything before the FIN has come
	shut     bool     // CloseRead: reads do not wait
	readers  []*ioOp

	readDeadline deadline
	ackNow       bool
	owed         int // segments since the last acknowledgement
	delayedAck   timer
}

func (r *receiver) init(c *conn) {
	r.rc = c
	r.delayedAck.init(c.machine.node, c.sendAck)
	r.readDeadline.init(c.machine.node, func() { r.failReaders(os.ErrDeadlineExceeded) })
}

// acknowledge returns the acknowledgement and the window for a segment that is sent
// now. Against silly windows, the window grows by a segment or by half of it.
func (r *receiver) acknowledge() (ack uint64, window int) {
	r.ackNow, r.owed = false, 0
	r.delayedAck.stop()
	if edge := r.possibleEdge(); edge >= r.rcvEdge+uint64(r.step()) {
		r.rcvEdge = edge
	}
	return r.rcvNxt, int(r.rcvEdge - r.rcvNxt)
}

// possibleEdge returns where the window could end.
func (r *receiver) possibleEdge() uint64 {
	return r.rcvNxt + uint64(max(0, r.rc.cfg().Window-r.buffered))
}

func (r *receiver) step() int { return min(r.rc.cfg().MSS, (r.rc.cfg().Window+1)/2) }

// receiveData takes in the data and the FIN of a segment.
func (r *receiver) receiveData(seg *segment) {
	if seg.end() == seg.seq {
		return
	}
	c := r.rc
	if (c.orphan || r.shut && c.finSent) && len(seg.data) > 0 && seg.end() > r.rcvNxt {
		c.abort() // this end is through with both directions
		return
	}
	data, seq := r.trim(seg)
	if seg.flags.has(flagFin) && seq+uint64(len(data))+1 == seg.end() {
		r.finAt = seg.end() - 1
	}
	if seq > r.rcvNxt || seg.end() <= r.rcvNxt {
		r.ackNow = true // the peer does not know what we have
	}
	if len(data) > 0 {
		r.insert(seq, data)
	}
	if !r.advance() {
		return
	}
	r.serveReaders()
	if r.owed++; r.owed >= 2 || r.rcvFin || len(r.ahead) > 0 {
		r.ackNow = true
	} else if !r.delayedAck.armed {
		r.delayedAck.set(c.cfg().AckDelay)
	}
}

// trim cuts off what is here already and what the window has no room for.
func (r *receiver) trim(seg *segment) ([]byte, uint64) {
	data, seq := seg.data, seg.seq
	if seq < r.rcvNxt {
		n := min(int(r.rcvNxt-seq), len(data))
		data, seq = data[n:], seq+uint64(n)
	}
	if room := int(r.rcvEdge) - int(seq); len(data) > room {
		data = data[:max(0, room)]
		r.ackNow = true
	}
	return data, seq
}

// insert puts a run of bytes in its place among those that came early.
func (r *receiver) insert(seq uint64, data []byte) {
	i, found := slices.BinarySearchFunc(r.ahead, seq, func(e early, seq uint64) int {
		return int(e.seq) - int(seq)
	})
	if !found {
		r.ahead = slices.Insert(r.ahead, i, early{seq, data})
	} else if len(data) > len(r.ahead[i].data) {
		r.ahead[i].data = data
	}
}

// advance moves what is in order now to the process and reports whether there was
// anything.
func (r *receiver) advance() bool {
	before := r.rcvNxt
	for len(r.ahead) > 0 && r.ahead[0].seq <= r.rcvNxt {
		e := r.ahead[0]
		r.ahead = slices.Delete(r.ahead, 0, 1)
		if skip := int(r.rcvNxt - e.seq); skip < len(e.data) {
			r.accept(e.data[skip:])
		}
	}
	if n := int(r.rcvNxt - before); n > 0 {
		r.rc.machine.emit(KindSegment, r.rc.name, count("bytes", n), count("offset", int(before-r.irs)-1))
	}
	if r.finAt != 0 && r.finAt == r.rcvNxt {
		r.rcvNxt++
		r.rcvFin = true
		r.rc.machine.emit(KindFin, r.rc.name)
	}
	return r.rcvNxt > before
}

func (r *receiver) accept(data []byte) {
	r.rcvNxt += uint64(len(data))
	r.ready = append(r.ready, data)
	r.buffered += len(data)
}

func (r *receiver) unread() bool { return r.buffered > 0 || len(r.ahead) > 0 }

// read handles a Read call.
func (r *receiver) read(op *ioOp) {
	if err, done := r.readResult(op); done {
		op.call.Finish(err)
		r.update()
		return
	}
	r.readers = append(r.readers, op)
}

// readResult reads into op what there is, or returns why nothing will come. It
// reports false if op has to wait.
func (r *receiver) readResult(op *ioOp) (error, bool) {
	switch c := r.rc; {
	case c.orphan:
		return errClosed, true
	case len(op.buf) == 0:
		return nil, true
	case r.readDeadline.expired:
		return os.ErrDeadlineExceeded, true
	case r.buffered > 0:
		r.take(op)
		return nil, true
	case r.rcvFin:
		return io.EOF, true
	case c.err != 0 && !c.reported:
		c.reported = true
		return c.err, true
	case r.shut, c.state == closed:
		return io.EOF, true
	}
	return nil, false
}

func (r *receiver) take(op *ioOp) {
	for op.n < len(op.buf) && len(r.ready) > 0 {
		n := copy(op.buf[op.n:], r.ready[0])
		op.n += n
		r.buffered -= n
		if r.ready[0] = r.ready[0][n:]; len(r.ready[0]) == 0 {
			r.ready[0] = nil
			r.ready = r.ready[1:]
		}
	}
	if len(r.ready) == 0 {
		r.ready = nil
	}
}

// update tells the peer of a wider window if it may be waiting for one.
func (r *receiver) update() {
	if r.rc.state != established || r.rcvFin {
		return
	}
	gain := int(r.possibleEdge()) - int(r.rcvEdge)
	left := int(r.rcvEdge - r.rcvNxt)
	if gain >= r.step() && (left < r.rc.cfg().MSS || 2*gain >= r.rc.cfg().Window) {
		r.rc.sendAck()
	}
}

// serveReaders gives waiting readers what they wait for.
func (r *receiver) serveReaders() {
	for len(r.readers) > 0 {
		op := r.readers[0]
		if op.call.Pending() {
			err, done := r.readResult(op)
			if !done {
				return
			}
			op.call.Finish(err)
		}
		r.readers = r.readers[1:]
	}
	r.readers = nil
	r.update()
}

func (r *receiver) failReaders(err error) {
	waiting := r.readers
	r.readers = nil
	for _, op := range waiting {
		op.call.Finish(err)
	}
}

// closeRead is the process's CloseRead: reads do not wait any more. As on Linux, the
// peer may go on to send, and what there is can still be read.
func (r *receiver) closeRead() {
	r.shut = true
	r.serveReaders()
}
