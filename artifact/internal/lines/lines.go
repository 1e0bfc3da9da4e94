// SPDX-License-Identifier: MPL-2.0

// Package lines owns how a record looks as a line of text: its columns, their
// widths, and that nothing in a trace reaches a terminal as a control character.
// It must not know what a line is written for.
package lines

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// Marks in the first column of a line.
const (
	FailureMark = "!"
	CauseMark   = "*" // of a record that led to the failure
)

// widest is what a column gets at most; a longer text pushes the rest.
const widest = 28

// Columns are the widths of the aligned columns. The zero value is for no record.
type Columns struct{ seq, at, node, kind int }

// Fit widens the columns to what records need, whose nodes have these names.
func (c *Columns) Fit(records []kernel.Record, names []string) {
	for i := range records {
		r := &records[i]
		c.node = max(c.node, min(widest, utf8.RuneCountInString(Incarnation(names, r))))
		c.kind = max(c.kind, min(widest, utf8.RuneCountInString(Printable(string(r.Kind)))))
	}
	if n := len(records); n > 0 { // both rise
		c.seq = max(c.seq, len(strconv.FormatUint(records[n-1].Seq, 10)))
		c.at = max(c.at, len(records[n-1].At.String()))
	}
}

// Line returns a record as a line, without its end.
func (c *Columns) Line(mark string, r *kernel.Record, names []string) string {
	line := fmt.Sprintf("%s %*d  %*s  %-*s  %-*s  %s", mark, c.seq, r.Seq, c.at, r.At.String(),
		c.node, Incarnation(names, r), c.kind, Printable(string(r.Kind)), rest(r))
	return strings.TrimRight(line, " ")
}

func rest(r *kernel.Record) string {
	parts := []string{}
	if text := Detail(r); text != "" {
		parts = append(parts, text)
	}
	if r.Cause != 0 {
		parts = append(parts, "<- "+strconv.FormatUint(r.Cause, 10))
	}
	return strings.Join(parts, " ")
}

// Detail returns the text of a record and its attributes.
func Detail(r *kernel.Record) string {
	var parts []string
	if r.Text != "" {
		parts = append(parts, Printable(r.Text))
	}
	for _, a := range r.Attrs {
		parts = append(parts, Printable(a.Key)+"="+Printable(a.Value))
	}
	return strings.Join(parts, " ")
}

// Incarnation returns the name of a record's node and, from its first boot on, its
// incarnation.
func Incarnation(names []string, r *kernel.Record) string {
	name := Printable(Name(names, r.Node))
	if r.Node == 0 || r.Inc == 0 {
		return name
	}
	return name + "#" + strconv.Itoa(r.Inc)
}

// Name returns the name of a node, empty for none. Names are by id, the first has
// id 1; a node that they lack gets a number.
func Name(names []string, id kernel.NodeID) string {
	switch {
	case id == 0:
		return ""
	case id < 1 || int(id) > len(names):
		return fmt.Sprintf("#%d", id)
	}
	return names[id-1]
}
