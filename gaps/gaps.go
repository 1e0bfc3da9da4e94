// SPDX-License-Identifier: MPL-2.0

// Package gaps owns the record of what a run through the wrapper cannot
// control: source constructs that were left unchanged although they can change
// the order of goroutines or a value that they see.
//
// It owns the Gap type, its text form (toolexec-gaps.txt) and the list that a
// test binary carries. It must not know the simulator, the rules that find
// gaps, or how a report shows them; it imports the standard library only.
package gaps

import (
	"cmp"
	"errors"
	"slices"
)

// Gap is one construct that faultline does not control.
type Gap struct {
	// File is the slash-separated path of the source file, and Line its line,
	// counted from 1; 0 means the whole file.
	File string
	Line int

	// Construct names what stands there, for instance "sync.Map.Range".
	Construct string

	// Reason says what can differ between two runs of one seed.
	Reason string

	// Cure says what to write instead. It may be empty.
	Cure string

	// Accepted is the reason that a comment in the source gives for keeping
	// the construct. Empty means that nobody accepted it.
	Accepted string
}

// Sort puts list into the order of every gap listing: by file, line, construct,
// then the other fields. The order depends on the content alone, so that two
// lists of one program differ only where the program does.
func Sort(list []Gap) { slices.SortFunc(list, compare) }

// Open returns the gaps that nobody accepted, in the order given.
func Open(list []Gap) []Gap {
	var open []Gap
	for _, g := range list {
		if g.Accepted == "" {
			open = append(open, g)
		}
	}
	return open
}

// check says why g has no text form that could be read back.
func (g Gap) check() error {
	if g.File == "" || g.Line < 0 || g.Construct == "" || g.Reason == "" {
		return errors.New("a gap needs a file, a line from 0, a construct and a reason")
	}
	return nil
}

func compare(a, b Gap) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Construct, b.Construct),
		cmp.Compare(a.Reason, b.Reason),
		cmp.Compare(a.Cure, b.Cure),
		cmp.Compare(a.Accepted, b.Accepted),
	)
}
