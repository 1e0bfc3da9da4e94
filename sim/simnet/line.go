// SPDX-License-Identifier: MPL-2.0

package simnet

// line is a first-in first-out list of messages. Emptied, it starts over in the
// memory it has, so that the usual line of one costs nothing.
type line struct {
	messages []*message
	head     int
}

func (l *line) len() int { return len(l.messages) - l.head }

func (l *line) push(m *message) { l.messages = append(l.messages, m) }

func (l *line) pop() *message {
	m := l.messages[l.head]
	l.messages[l.head] = nil
	l.head++
	if l.head == len(l.messages) {
		l.messages, l.head = l.messages[:0], 0
	}
	return m
}
