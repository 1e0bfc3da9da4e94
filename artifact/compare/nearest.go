// SPDX-License-Identifier: MPL-2.0

package compare

import "github.com/hmdsefi/faultline/artifact"

// Nearest finds among runs the one that is nearest to another run: with the most
// equal records from the start and, of several, the smallest Distance. It keeps only
// one of them. The zero value with Run set is ready.
type Nearest struct {
	Run *artifact.Run

	Best             *artifact.Run // nil until Offer was called
	prefix, distance int
}

// Offer compares one more run, and reports whether it is the nearest so far.
func (n *Nearest) Offer(run *artifact.Run) bool {
	prefix := Prefix(n.Run, run)
	if n.Best != nil && prefix < n.prefix {
		return false // the distance, which counts all records, does not matter
	}
	distance := Distance(n.Run, run)
	if n.Best != nil && prefix == n.prefix && distance >= n.distance {
		return false
	}
	n.Best, n.prefix, n.distance = run, prefix, distance
	return true
}
