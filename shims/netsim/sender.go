// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// maxBurst bounds how many lost segments are sent again for one acknowledgement.
const maxBurst = 64

// outgoing is a segment that was sent and not acknowledged yet.
type outgoing struct {
	flags flags // SYN or FIN, beside ACK
	seq   uint64
	data  []byte
	at    kernel.Time // when it was sent last
	tries int
	lost  bool // to be sent again
}

func (o *outgoing) end() uint64 {
	n := o.seq + uint64(len(o.data))
	if o.flags.has(flagSyn | flagFin) {
		n++
	}
	return n
}

// sender is the outgoing half of a connection.
type sender struct {
	c       *conn
	iss     uint64     // our SYN's number
	nxt     uint64     // next to send
	una     uint64     // oldest that is not acknowledged
	edge    uint64     // end of the peer's window; it never moves back
	flight  []outgoing // from una to nxt
	pending [][]byte   // accepted from the process, not sent yet
	credit  credit
	writers []*ioOp

	writeDeadline       deadline
	finWanted, finAcked bool
	finSent             bool

	retransmission timer
	early          bool // it is for a segment that duplicate acknowledgements miss
	retries        int
	resent         kernel.Time // when a segment was last sent again; what was sent before measures nothing
	rto            time.Duration
	srtt, rttvar   time.Duration // zero until measured
	duplicates     int           // acknowledgements that moved nothing
	recovering     bool
	recoverTo      uint64      // where recovery ends
	recoverSince   kernel.Time // segments sent before count as lost with the first one
	burst          int
}

// sequenceSpace is the part of the sequence numbers that belongs to one connection.
const sequenceSpace = 1 << 40

func (s *sender) init(c *conn) {
	s.c = c
	s.iss = c.id * sequenceSpace
	s.nxt, s.una, s.edge = s.iss, s.iss, s.iss
	s.resent = -1
	s.credit.giveBack(c.cfg().SendBuffer)
	s.rto = c.cfg().InitialRTO
	s.retransmission.init(c.machine.node, s.expire)
	s.writeDeadline.init(c.machine.node, func() { s.failWriters(os.ErrDeadlineExceeded) })
}

// write handles a Write call.
func (s *sender) write(op *ioOp) {
	if err := s.writeError(); err != nil || len(op.buf) == 0 {
		op.call.Finish(err)
		return
	}
	s.writers = append(s.writers, op)
	s.admit()
	s.push()
}

// writeError returns why nothing can be written, or nil.
func (s *sender) writeError() error {
	switch c := s.c; {
	case c.orphan:
		return errClosed
	case s.writeDeadline.expired:
		return os.ErrDeadlineExceeded
	case c.err != 0 && !c.reported:
		c.reported = true
		return c.err
	case c.err != 0, c.state == closed, s.finWanted:
		return syscall.EPIPE
	}
	return nil
}

// writeLater handles a write that has its credit already and whose caller has gone
// on. It owns b.
func (s *sender) writeLater(b []byte) {
	switch {
	case s.c.state == closed || s.c.orphan || s.finWanted:
		return // the error shows in the next operation
	case len(s.writers) > 0:
		s.writers = append(s.writers, &ioOp{buf: b})
		return
	}
	s.store(b)
	s.push()
}

// admit takes from waiting writers what the send buffer has room for.
func (s *sender) admit() {
	for len(s.writers) > 0 {
		op := s.writers[0]
		switch {
		case op.call == nil:
			s.store(op.buf)
		case op.call.Pending():
			n := s.credit.takeUpTo(len(op.buf) - op.n)
			s.store(slices.Clone(op.buf[op.n : op.n+n]))
			if op.n += n; op.n < len(op.buf) {
				return
			}
			op.call.Finish(nil)
		}
		s.writers = s.writers[1:]
	}
	s.writers = nil
}

// store appends b, which it owns, to what is to be sent, in pieces of a segment each.
// Small writes share a piece.
func (s *sender) store(b []byte) {
	mss := s.c.cfg().MSS
	if last := len(s.pending) - 1; last >= 0 {
		n := min(len(b), mss-len(s.pending[last]))
		s.pending[last] = append(s.pending[last], b[:n]...)
		b = b[n:]
	}
	for len(b) > 0 {
		n := min(len(b), mss)
		s.pending = append(s.pending, b[:n:n])
		b = b[n:]
	}
}

// push sends what the peer's window allows, and an acknowledgement if one is owed.
func (s *sender) push() {
	c := s.c
	if c.state != established {
		return
	}
	for len(s.pending) > 0 {
		piece, ok := s.nextPiece()
		if !ok {
			break
		}
		s.launch(flagAck, piece)
	}
	if len(s.pending) == 0 {
		s.pending = nil
		if s.finWanted && !s.finSent {
			s.finSent = true
			s.launch(flagAck|flagFin, nil)
		}
	}
	if len(s.pending) > 0 && len(s.flight) == 0 && !s.retransmission.armed {
		s.retransmission.set(s.rto)
	}
	if c.ackNow {
		c.sendAck()
	}
}

// nextPiece takes the next segment's payload. Against silly windows, part of a piece
// is sent only when nothing is on its way that could bring a wider window.
func (s *sender) nextPiece() ([]byte, bool) {
	piece := s.pending[0]
	room := int(s.edge - min(s.nxt, s.edge))
	switch {
	case len(piece) <= room:
		s.pending[0] = nil
		s.pending = s.pending[1:]
		return piece, true
	case room == 0 || len(s.flight) > 0:
		return nil, false
	}
	s.pending[0] = piece[room:]
	return piece[:room:room], true
}

// launch sends new sequence numbers for the first time.
func (s *sender) launch(f flags, data []byte) {
	o := outgoing{flags: f, seq: s.nxt, data: data}
	s.nxt = o.end()
	s.flight = append(s.flight, o)
	s.dispatch(&s.flight[len(s.flight)-1])
	if !s.retransmission.armed || len(s.flight) == 1 {
		s.retransmission.set(s.rto)
	}
}

func (s *sender) dispatch(o *outgoing) {
	o.tries++
	o.at = s.c.now()
	o.lost = false
	s.c.transmit(o.flags, o.seq, o.data)
}

// receiveAck handles the acknowledgement and the window of a segment.
func (s *sender) receiveAck(seg *segment) {
	edge := max(s.edge, seg.ack+uint64(seg.window))
	widened := edge > s.edge
	s.edge = edge
	switch {
	case seg.ack > s.una:
		s.acked(seg.ack)
		s.recoverFurther()
		s.admit()
	case seg.ack == s.una && len(s.flight) == 0:
		s.retries = 0 // an answer to a probe of a closed window
		if widened {
			s.resetRTO()
		}
	case seg.ack == s.una && !widened && seg.end() == seg.seq && !seg.flags.has(flagProbe):
		s.duplicate()
	}
	if s.c.state == synReceived && s.una > s.iss {
		s.c.establish()
	}
}

// acked removes what is acknowledged from the flight and measures the round trip.
func (s *sender) acked(ack uint64) {
	s.una = ack
	s.retries, s.duplicates, s.early = 0, 0, false
	gone, rtt := 0, time.Duration(0)
	for gone < len(s.flight) && s.flight[gone].end() <= ack {
		o := &s.flight[gone]
		s.credit.giveBack(len(o.data))
		if o.flags.has(flagFin) {
			s.finAcked = true
		}
		if o.tries == 1 && o.at > s.resent {
			rtt = s.c.now().Sub(o.at)
		}
		*o = outgoing{}
		gone++
	}
	if rtt > 0 {
		s.measure(rtt)
	}
	s.resetRTO()
	if s.flight = s.flight[gone:]; len(s.flight) == 0 {
		s.flight = nil
		s.retransmission.stop()
		return
	}
	if o := &s.flight[0]; o.seq < ack {
		n := int(ack - o.seq)
		s.credit.giveBack(n)
		o.seq, o.data = ack, o.data[n:]
	}
	s.arm()
}

// measure takes a round trip into the retransmission time, as RFC 6298 says.
func (s *sender) measure(rtt time.Duration) {
	if s.srtt == 0 {
		s.srtt, s.rttvar = rtt, rtt/2
	} else {
		s.rttvar += ((s.srtt - rtt).Abs() - s.rttvar) / 4
		s.srtt += (rtt - s.srtt) / 8
	}
}

func (s *sender) resetRTO() {
	if s.srtt == 0 {
		s.rto = s.c.cfg().InitialRTO
		return
	}
	s.rto = min(max(s.patience(), s.c.cfg().MinRTO), s.c.cfg().MaxRTO)
}

// patience is the longest that an acknowledgement may reasonably take.
func (s *sender) patience() time.Duration { return s.srtt + 4*s.rttvar }

func (s *sender) arm() {
	s.early = false
	s.retransmission.set(s.rto)
}

// duplicate handles an acknowledgement that shows that later segments arrive while
// the first does not. Links reorder freely, so the first one counts as lost only
// when it had time enough.
func (s *sender) duplicate() {
	if s.duplicates++; s.duplicates < 3 || s.recovering || s.srtt == 0 {
		return
	}
	if wait := min(s.patience(), s.rto) - s.c.now().Sub(s.flight[0].at); wait > 0 {
		s.early = true
		s.retransmission.set(wait)
		return
	}
	s.recover(s.flight[:1])
}

// recover sends the first of the lost segments again, and prepares to send the others
// and those that turn out to be lost too.
func (s *sender) recover(lost []outgoing) {
	for i := range lost {
		lost[i].lost = true
	}
	s.recovering = true
	s.recoverTo, s.recoverSince = s.nxt, s.c.now()
	s.burst = 1
	s.resend()
	s.arm()
}

// recoverFurther goes on with a recovery after an acknowledgement of new data.
func (s *sender) recoverFurther() {
	if !s.recovering {
		return
	}
	if s.una >= s.recoverTo || len(s.flight) == 0 {
		s.recovering = false
		return
	}
	s.burst = min(2*s.burst, maxBurst)
	if o := &s.flight[0]; o.at <= s.recoverSince && o.tries == 1 {
		o.lost = true
	}
	s.resend()
}

// resend sends up to burst lost segments again.
func (s *sender) resend() {
	left := s.burst
	for i := 0; i < len(s.flight) && left > 0; i++ {
		if o := &s.flight[i]; o.lost {
			s.noteRetransmission(o)
			s.resent = s.c.now()
			s.dispatch(o)
			left--
		}
	}
}

func (s *sender) resendFirst() {
	if len(s.flight) > 0 {
		s.resent = s.c.now()
		s.dispatch(&s.flight[0])
	}
}

func (s *sender) noteRetransmission(o *outgoing) {
	c := s.c
	c.machine.emit(KindRetransmit, c.name,
		count("bytes", len(o.data)), count("offset", s.offset(o.seq)), count("try", o.tries+1))
}

// offset returns the place of a sequence number in the stream of bytes.
func (s *sender) offset(seq uint64) int { return max(0, int(seq-s.iss)-1) }

// expire is the retransmission timer: nothing was acknowledged for too long.
func (s *sender) expire() {
	if s.early && len(s.flight) > 0 {
		s.recover(s.flight[:1])
		return
	}
	if s.retries++; s.retries > s.patienceLimit() {
		s.c.timeOut()
		return
	}
	s.rto = min(2*s.rto, s.c.cfg().MaxRTO)
	if len(s.flight) == 0 {
		s.c.transmit(flagAck|flagProbe, s.nxt, nil) // is the window still closed?
		s.retransmission.set(s.rto)
		return
	}
	s.recover(s.flight)
}

func (s *sender) patienceLimit() int {
	if s.c.state == synSent || s.c.state == synReceived {
		return s.c.cfg().SynRetries
	}
	return s.c.cfg().Retries
}

// failWriters ends all waiting writers; what they had stored already is sent.
func (s *sender) failWriters(err error) {
	waiting := s.writers
	s.writers = nil
	for _, op := range waiting {
		if op.call == nil {
			s.store(op.buf)
		} else {
			op.call.Finish(err)
		}
	}
}
