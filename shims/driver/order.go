// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"cmp"
	"slices"
)

// Order says in which order calls of one instant are applied.
type Order uint8

const (
	// Arrival applies calls as they came. It is exact when the goroutines of the
	// bubble are scheduled by the seed.
	Arrival Order = iota
	// ByKey sorts by node, then by the key of the call, then by arrival; calls that
	// nobody waits for come first, since their goroutine has gone on and may have
	// made another that must come after. It hides most of the Go scheduler's own
	// choices from the simulator, though not all.
	ByKey
)

func (o Order) String() string {
	if o == ByKey {
		return "by key"
	}
	return "arrival"
}

// arrange sorts calls that arrived at one instant.
func (o Order) arrange(calls []*Call) {
	if o == ByKey && len(calls) > 1 {
		slices.SortStableFunc(calls, compareKey)
	}
}

func compareKey(a, b *Call) int {
	return cmp.Or(
		cmp.Compare(a.proc.id(), b.proc.id()),
		cmp.Compare(waiters(a), waiters(b)),
		cmp.Compare(a.key, b.key),
	)
}

func waiters(c *Call) int {
	if c.done == nil {
		return 0
	}
	return 1
}
