// SPDX-License-Identifier: MPL-2.0

package netsim

import (
	"net/netip"
	"strconv"
)

// flags are the control bits of a segment.
type flags uint8

const (
	flagSyn flags = 1 << iota
	flagAck
	flagFin
	flagRst
	flagProbe // the receiver answers, whatever it knows already
)

// has reports whether any of want is set.
func (f flags) has(want flags) bool { return f&want != 0 }

// segment is one TCP segment. Sequence numbers have 64 bits, and every connection
// gets a range of its own: they neither wrap nor match an earlier connection.
type segment struct {
	from, to netip.AddrPort
	flags    flags
	seq, ack uint64
	window   int
	data     []byte // shared by all copies, never written to
}

// end returns the sequence number after the segment.
func (s *segment) end() uint64 {
	n := s.seq + uint64(len(s.data))
	if s.flags.has(flagSyn) {
		n++
	}
	if s.flags.has(flagFin) {
		n++
	}
	return n
}

// flagTexts names the control bits that a trace shows, in order.
var flagTexts = []struct {
	flag flags
	text string
}{{flagSyn, " SYN"}, {flagRst, " RST"}, {flagFin, " FIN"}, {flagProbe, " PROBE"}, {flagAck, " ACK"}}

// describe returns the trace text of a segment of the connection of that name.
func (s *segment) describe(name string) string {
	b := make([]byte, 0, 80)
	b = append(b, "tcp "...)
	b = append(b, name...)
	for _, f := range flagTexts {
		if s.flags.has(f.flag) {
			b = append(b, f.text...)
		}
	}
	if len(s.data) > 0 {
		b = append(b, ' ')
		b = strconv.AppendInt(b, int64(len(s.data)), 10)
		b = append(b, 'B')
	}
	return string(b)
}

// pair names a connection or a flow of datagrams: "from>to".
func pair(from, to netip.AddrPort) string { return from.String() + ">" + to.String() }
