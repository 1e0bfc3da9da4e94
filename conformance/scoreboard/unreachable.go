// SPDX-License-Identifier: MPL-2.0

package scoreboard

// unreachable are kernels of which nothing can be found, and why: those who ported them lost the bug.
var unreachable = map[string]string{
	"Moby27782": "the logger's Close, which would close the channel that the reader then takes for the end, waits for the lock " +
		"that the reader holds until it has ended by itself",
}
